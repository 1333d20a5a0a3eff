import type { Query, QueryCache, QueryCacheNotifyEvent } from '@tanstack/react-query'
import { isRestored } from '../api/client/cache/cache-contents.ts'
import { least } from '../lib/extremes.ts'
import { isPlanned } from '../api/client/cache/query-client.ts'

/** Times in epoch milliseconds. */
export type Ages = {
  oldest: number | undefined
  /** Something on screen comes from an earlier session. */
  restored: boolean
  loading: boolean
  /** Something on screen is read by a plan, which does not rest. */
  planned: boolean
}

/** How much younger what is planned counts than it is, see {@link plannedAt}; milliseconds. */
const MINUTE_MS = 60_000
/** What is planned together waits for each other: it is late only after that many of its pauses. */
const LATE_SHARE = 1.25

/** How old the reads on screen are. */
type ReadsOnScreen = {
  ages: () => Ages
  /** Has to be told every event of the cache. @returns whether an age may be another now */
  take: (event: QueryCacheNotifyEvent) => boolean
}

/** There may be a thousand reads, of which each event is about one: all of them are looked through here alone. */
export function createReadsOnScreen(cache: QueryCache): ReadsOnScreen {
  const active = new Set<Query>()
  /** Those of them whose age is that of the screen, and those that a plan reads. */
  const leading = new Set<Query>()
  const planned = new Set<Query>()
  const sort = (query: Query, isThere: boolean): void => {
    put(active, query, isThere)
    put(leading, query, isThere && leads(query))
    put(planned, query, isThere && query.observers.some(({ options }) => isPlanned(options)))
  }
  for (const query of cache.findAll({ type: 'active' })) sort(query, true)
  let known: Ages | undefined
  return {
    // Every draw and each step of a request asks.
    ages: () => (known ??= agesOf({ active, leading, planned })),
    take(event) {
      const { type, query } = event
      // Whatever is out of date, or being read again, is as old as it was.
      if (type === 'observerResultsUpdated' || (type === 'updated' && changesNoAge(event))) return false
      // What was removed tells of its answers still, where somebody observes it.
      sort(query, cache.get(query.queryHash) === query && query.isActive())
      known = undefined
      return true
    },
  }
}

type Sorted = Readonly<Record<'active' | 'leading' | 'planned', ReadonlySet<Query>>>

function agesOf({ active, leading, planned }: Sorted): Ages {
  const ofScreen = changing(leading)
  const shown = ofScreen.length > 0 ? ofScreen : changing(active)
  const read = shown.filter(({ state }) => state.dataUpdatedAt > 0).map(plannedAt)
  return {
    oldest: read.length > 0 ? least(read) : undefined,
    restored: shown.some(isRestored),
    loading: shown.some(({ state }) => state.fetchStatus === 'fetching' && state.dataUpdatedAt === 0),
    planned: isChanging(planned),
  }
}

function changesNoAge({ action, query }: Extract<QueryCacheNotifyEvent, { type: 'updated' }>): boolean {
  return action.type === 'invalidate' || (action.type === 'fetch' && query.state.dataUpdatedAt > 0)
}

function put<T>(into: Set<T>, item: T, isIn: boolean): void {
  if (isIn) into.add(item)
  else into.delete(item)
}

function changing(queries: ReadonlySet<Query>): Query[] {
  return [...queries].filter(query => !isFinal(query))
}

function isChanging(queries: ReadonlySet<Query>): boolean {
  for (const query of queries) if (!isFinal(query)) return true
  return false
}

/** Of hundreds of planned reads those that lead are the age of the screen. */
function leads({ observers }: Query): boolean {
  return observers.some(({ options }) => !isPlanned(options) || options.meta?.leads === true)
}

/** When it was read, or later: what is planned to be read more rarely than every minute may be that much older. */
function plannedAt(query: Query): number {
  const { state, observers } = query
  if (isRestored(query)) return state.dataUpdatedAt
  const every = Math.max(0, ...observers.map(({ options }) => options.meta?.every ?? 0))
  return state.dataUpdatedAt + Math.max(0, every * LATE_SHARE - MINUTE_MS)
}

/**
 * What never changes again, such as the trials of an ended run, cannot be too old; what the start before had read, if
 * nobody reads it again.
 */
function isFinal(query: Query): boolean {
  return (
    query.state.data !== undefined &&
    query.observers.every(
      ({ options }) => options.staleTime === Infinity && (options.refetchOnMount === false || !isRestored(query)),
    )
  )
}
