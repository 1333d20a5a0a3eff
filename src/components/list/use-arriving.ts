import { useEffect, useRef } from 'react'

/**
 * Whether a list that is read in parts is still in its first reading, to which the render belongs in which the last
 * part arrives.
 */
export function useArriving(isRead: boolean): boolean {
  const wasRead = useRef(false)
  useEffect(() => {
    if (isRead) wasRead.current = true
  }, [isRead])
  return !wasRead.current
}
