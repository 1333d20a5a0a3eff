import { useEffect, useRef } from 'react'

/**
 * Whether a list is still being read part by part for the first time, including the render in which the last part
 * arrives.
 */
export function useArriving(isRead: boolean): boolean {
  const wasRead = useRef(false)
  useEffect(() => {
    if (isRead) wasRead.current = true
  }, [isRead])
  return !wasRead.current
}
