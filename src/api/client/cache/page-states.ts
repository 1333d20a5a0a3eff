import type { InfiniteData, Query } from '@tanstack/react-query'

type Cursor = string | undefined
/** The states of the service before pages were read, by cursor. */
type States = Map<Cursor, string>

const beingRead = new WeakMap<object, { signal: AbortSignal; states: States }>()
const inCache = new WeakMap<object, States>()

/** Whether a page that is in the cache was read in this state, so that reading it again would bring the same. */
export function isUnchanged(query: object, cursor: Cursor, state: string | undefined): boolean {
  return state !== undefined && inCache.get(query)?.get(cursor) === state
}

/**
 * The pages that the fetch with this signal has read; every call for a page asks for them, since what an earlier fetch
 * read that failed or was given up counts for nothing.
 */
export function statesBeingRead(query: object, signal: AbortSignal): States {
  let fetch = beingRead.get(query)
  if (fetch?.signal !== signal) beingRead.set(query, (fetch = { signal, states: new Map() }))
  return fetch.states
}

/** What a fetch has read is in the cache now. */
export function keepStates(query: Pick<Query<unknown, unknown, unknown>, 'state'>): void {
  const fetch = beingRead.get(query)
  if (!fetch) return
  beingRead.delete(query)
  const { pageParams } = query.state.data as InfiniteData<unknown, Cursor>
  const states = [...(inCache.get(query) ?? []), ...fetch.states]
  inCache.set(query, new Map(states.filter(([cursor]) => pageParams.includes(cursor))))
}
