import { useEffect, useState, useSyncExternalStore } from 'react'
import { useRegions } from '../regions.tsx'
import type { Selection } from './selection.ts'

/** Milliseconds without keys before what follows a selection is drawn. */
const REST_MS = 40
/** A move this many milliseconds after the previous one does not come from a held key. */
const ALONE_MS = 100
/** Milliseconds after a single move in which the terminal can show the row first, maybe on the same processor. */
const SHOWN_MS = 5

/** Follows a selection, as panes beside the list do. */
export type Follower = {
  /** Whether the selection has moved but was not followed yet. */
  isBehind: () => boolean
  stop: () => void
}

/**
 * Calls `follow` after moves: soon after a single one, with all keys of its chunk, or when the keys pause. Thus a held
 * key neither draws nor fetches for every row that it passes.
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
 * Returns the index of the selected row for drawing. If the list paints its own rows, React renders after a move only
 * when the followers do; otherwise at once.
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
