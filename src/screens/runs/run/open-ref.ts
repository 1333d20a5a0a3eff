import { useEffect, type RefObject } from 'react'

/** Where the visible tab stores its open action, for the screen's key. */
export type OpenRef = RefObject<(() => void) | undefined>

/** Sets the open action while this is shown. */
export function useOpens(ref: OpenRef, open: () => void): void {
  useEffect(() => {
    ref.current = open
    return () => {
      ref.current = undefined
    }
  })
}
