import { useEffect, useState, useSyncExternalStore } from 'react'
import { useRegions } from '../regions.tsx'
import type { Selection } from './selection.ts'

/** How long keys must pause before what follows a selection is drawn, in milliseconds. */
const REST_MS = 40
/** A move that long after the one before is no held key. */
const ALONE_MS = 100
/** What follows such a move waits only until the terminal had a moment to show the row, maybe on the same processor. */
const SHOWN_MS = 5

/** What follows a selection, such as panes beside the list. */
export type Follower = {
  /** Whether it has moved and is not followed yet. */
  isBehind: () => boolean
  stop: () => void
}

/**
 * Calls `follow` after moves: soon after one that came alone, with all keys of its chunk, or when the keys pause.
 * So holding a key down neither draws nor fetches for every row passed.
 */
export function followSelection(selection: Pick<Selection, 'subscribe'>, follow: () => void): Follower {
  let movedAt = -ALONE_MS
  let timer: NodeJS.Timeout | undefined
  let isSoon = false
  const catchUp = (): void => {
    timer = undefined
    isSoon = false
    follow()
  }
  const unsubscribe = selection.subscribe(() => {
    const pause = performance.now() - movedAt
    movedAt += pause
    if (isSoon) return
    isSoon = pause >= ALONE_MS
    clearTimeout(timer)
    timer = setTimeout(catchUp, isSoon ? SHOWN_MS : REST_MS)
  })
  return {
    isBehind: () => timer !== undefined,
    stop() {
      clearTimeout(timer)
      unsubscribe()
    },
  }
}

/**
 * The chosen row's index for drawing. Where the list paints its own rows, React hears of a move only
 * as what follows it does; elsewhere at once.
 */
export function useRestedIndex(selection: Selection): number {
  const rests = useRegions() !== undefined
  const [, tick] = useState(0)
  const drawn = useSyncExternalStore(rests ? never : selection.subscribe, selection.index)
  useEffect(
    () => (rests ? followSelection(selection, () => tick(count => count + 1)).stop : undefined),
    [rests, selection],
  )
  return drawn
}

function never(): () => void {
  return () => undefined
}
