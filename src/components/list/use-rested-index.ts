import { useEffect, useState, useSyncExternalStore } from 'react'
import { useRegions } from './regions.tsx'
import type { Selection } from './selection.ts'

/** How long keys must pause before what follows a selection is drawn, in milliseconds. */
export const REST_MS = 40

/**
 * The chosen row's index for drawing. Where the list paints its own rows, React hears of a move only
 * when the keys pause; elsewhere at once.
 */
export function useRestedIndex(selection: Selection): number {
  const rests = useRegions() !== undefined
  const [, tick] = useState(0)
  const drawn = useSyncExternalStore(rests ? never : selection.subscribe, selection.index)
  useEffect(() => {
    if (!rests) return undefined
    let timer: NodeJS.Timeout | undefined
    const unsubscribe = selection.subscribe(() => {
      clearTimeout(timer)
      timer = setTimeout(() => tick(count => count + 1), REST_MS)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [rests, selection])
  return drawn
}

function never(): () => void {
  return () => undefined
}
