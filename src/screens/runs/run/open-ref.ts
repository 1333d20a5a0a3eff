import { useEffect, type RefObject } from 'react'

/** Where the shown tab leaves what opening does there, for the screen's key. */
export type OpenRef = RefObject<(() => void) | undefined>

/** What opening does while this shows. */
export function useOpens(ref: OpenRef, open: () => void): void {
  useEffect(() => {
    ref.current = open
    return () => {
      ref.current = undefined
    }
  })
}
