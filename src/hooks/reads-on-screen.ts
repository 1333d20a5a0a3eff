import type { Query, QueryCache, QueryCacheNotifyEvent } from '@tanstack/react-query'
import { isRestored } from '../api/client/cache/cache-contents.ts'
import { isPlanned } from '../api/client/cache/query-client.ts'

/** Times in epoch milliseconds. */
export type Ages = {
  oldest: number | undefined
  /** Whether some data on screen comes from an earlier session. */
  restored: boolean
  loading: boolean
  /** Whether some data on screen is read by a plan, which never pauses. */
  planned: boolean
}

/** Milliseconds by which planned data counts as younger than it is, see {@link plannedAt}. */
const MINUTE_MS = 60_000
/** Planned reads wait for each other, so data counts as late only after this many of its pauses. */
const LATE_SHARE = 1.25

/** The ages of the reads on screen. */
type ReadsOnScreen = {
  ages: () => Ages
  /** Must receive every event of the cache. @returns whether an age may have changed */
  take: (event: QueryCacheNotifyEvent) => boolean
}

/**
 * Tracks the reads on screen. There may be a thousand, and each event concerns only one, so other code need not search
 * all of them.
 */
export function createReadsOnScreen(cache: QueryCache): ReadsOnScreen {
  const active = new Set<Query>()
  /** Reads whose age counts for the screen, and reads that a plan makes. */
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
    // Cached, because every render and each step of a request calls it.
    ages: () => (known ??= agesOf({ active, leading, planned })),
    take(event) {
      const { type, query } = event
      // Becoming stale, or being read again, does not change an age.
      if (type === 'observerResultsUpdated' || (type === 'updated' && changesNoAge(event))) return false
      // A removed query still reports its answers if it is observed.
      sort(query, cache.get(query.queryHash) === query && query.isActive())
      known = undefined
      return true
    },
  }
}

type Sorted = Readonly<Record<'active' | 'leading' | 'planned', ReadonlySet<Query>>>

function agesOf({ active, leading, planned }: Sorted): Ages {
  return { ...agesOfAll(isChanging(leading) ? leading : active), planned: isChanging(planned) }
}

/** In one pass without a list between, because each answer causes it and a hundred reads may count. */
function agesOfAll(queries: ReadonlySet<Query>): Omit<Ages, 'planned'> {
  const ages: Omit<Ages, 'planned'> = { oldest: undefined, restored: false, loading: false }
  for (const query of queries) {
    if (isFinal(query)) continue
    const { dataUpdatedAt, fetchStatus } = query.state
    if (dataUpdatedAt > 0) ages.oldest = Math.min(ages.oldest ?? Infinity, plannedAt(query))
    else if (fetchStatus === 'fetching') ages.loading = true
    if (isRestored(query)) ages.restored = true
  }
  return ages
}

function changesNoAge({ action, query }: Extract<QueryCacheNotifyEvent, { type: 'updated' }>): boolean {
  return action.type === 'invalidate' || (action.type === 'fetch' && query.state.dataUpdatedAt > 0)
}

function put<T>(into: Set<T>, item: T, isIn: boolean): void {
  if (isIn) into.add(item)
  else into.delete(item)
}

function isChanging(queries: ReadonlySet<Query>): boolean {
  for (const query of queries) if (!isFinal(query)) return true
  return false
}

/** Of hundreds of planned reads only the leading ones count for the age of the screen. */
function leads({ observers }: Query): boolean {
  return observers.some(({ options }) => !isPlanned(options) || options.meta?.leads === true)
}

/**
 * Returns when a query was read. A read that is planned less often than every minute may be older, so a later time is
 * returned for it.
 */
function plannedAt(query: Query): number {
  const { state, observers } = query
  if (isRestored(query)) return state.dataUpdatedAt
  let every = 0
  for (const { options } of observers) every = Math.max(every, options.meta?.every ?? 0)
  return state.dataUpdatedAt + Math.max(0, every * LATE_SHARE - MINUTE_MS)
}

/**
 * Whether the data can never be too old: data that never changes again, such as the trials of an ended run, or data of
 * an earlier session that is not read again.
 */
function isFinal(query: Query): boolean {
  return (
    query.state.data !== undefined &&
    query.observers.every(
      ({ options }) => options.staleTime === Infinity && (options.refetchOnMount === false || !isRestored(query)),
    )
  )
}
