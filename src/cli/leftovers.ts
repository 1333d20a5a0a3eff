import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { QueryClient } from '@tanstack/react-query'

/** How long nothing may be read and no key pressed, in milliseconds; longer than between two pages of one list. */
const REST_MS = 60

/** Gives back the memory that a start needed and does not need any more. */
export type Leftovers = {
  /** A key was pressed: not now. */
  putOff: () => void
}

/**
 * Collects once, as soon as everything on screen has been read and the person rests. V8 does the same by itself, but some eight
 * seconds after its last work; until then a fifth of what is resident is rubbish, and a third after a list of 10,000 rows.
 */
export function createLeftovers(queryClient: QueryClient, collect: () => void = collectAll): Leftovers {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const putOff = (): void => {
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(end, REST_MS)
    timer.unref()
  }
  const unsubscribe = queryClient.getQueryCache().subscribe(event => {
    if (event.type === 'updated') putOff()
  })
  const end = (): void => {
    // The end of what is being read is told as well.
    if (queryClient.isFetching() > 0) return
    isOver = true
    unsubscribe()
    collect()
  }
  return { putOff }
}

/** Collects until nothing more comes free, and shrinks the space for young objects; a new context is the only way to ask for it. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as (how: object) => void
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
