import {
  environmentManager,
  hashKey,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryFilters,
  type QueryKey,
  type QueryMeta,
  timeoutManager,
} from '@tanstack/react-query'
import type { ApiError } from '../errors/api-error.ts'
import { every, together } from '../../../lib/clock.ts'
import { isPlainRead } from './cache-contents.ts'
import { shareAnswer, keepStates } from './page-states.ts'

/** Milliseconds within which data is not fetched again when it is shown. */
const STALE_MS = 10_000
/** Milliseconds that data of a closed screen is kept. */
const KEEP_MS = 10 * 60_000
/** Milliseconds after which an answer counts as slow. A slow answer is dated by the time of its request. */
const LATE_MS = 1_000

/** Returns the query with this key. The cache's `find` would compare the key with that of every query. */
export function queryAt(queryClient: QueryClient, queryKey: QueryKey): Query | undefined {
  return queryClient.getQueryCache().get(hashKey(queryKey))
}

/** Epoch milliseconds at which the first request of the current read was sent, by query. */
const leftAt = new WeakMap<object, number>()

/**
 * Begins a read or its next page. Returns a function that dates the answer by its request, because a slow connection
 * delivers old data.
 */
export function datedRead(queryClient: QueryClient, queryKey: QueryKey, goesOn: boolean): (at: number) => void {
  const query = queryAt(queryClient, queryKey)
  if (query && !goesOn) leftAt.delete(query)
  return at => {
    if (query) leftAt.set(query, Math.min(at, leftAt.get(query) ?? Infinity))
  }
}

function date(query: Pick<Query<unknown, unknown, unknown>, 'state' | 'setState'>): void {
  const at = leftAt.get(query)
  leftAt.delete(query)
  if (at !== undefined && query.state.dataUpdatedAt - at > LATE_MS) query.setState({ dataUpdatedAt: at })
}

/**
 * Creates the cache of server state. Retries belong to the transport. Call `clear()` at the end, because data holds
 * timers.
 */
export function createQueryClient(): QueryClient {
  // In Node the library assumes that it is on a server, and then neither polls nor expires anything.
  environmentManager.setIsServer(() => false)
  const client = new QueryClient({
    queryCache: new QueryCache({
      onSuccess: (_, query) => {
        date(query)
        keepStates(query)
        shareAnswer(client, query)
      },
    }),
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: STALE_MS,
        gcTime: KEEP_MS,
        networkMode: 'always',
        structuralSharing: true,
        throwOnError: false,
      },
      mutations: { retry: false, networkMode: 'always', throwOnError: false },
    },
  })
  return client
}

/**
 * Creates a cache like {@link createQueryClient}, whose polls share their wake-ups with all other polling of this
 * process.
 */
export function createPollingClient(): QueryClient {
  const ends = new Map<unknown, () => void>()
  let last = 0
  timeoutManager.setTimeoutProvider<number>({
    setTimeout: (run, ms) => setTimeout(run, ms)[Symbol.toPrimitive](),
    clearTimeout,
    setInterval(run, ms) {
      last -= 1
      ends.set(last, every(ms, run))
      return last
    },
    clearInterval(id) {
      ends.get(id)?.()
      ends.delete(id)
    },
  })
  notifyManager.setScheduler(together)
  return createQueryClient()
}

/** Owner of the planned reads of the Now screen, which may number hundreds. */
export const PLANNED = 'now'

export function isPlanned({ meta }: { meta?: QueryMeta | undefined }): boolean {
  return meta?.owner === PLANNED
}

/** Marks matching queries as outdated and reads those on screen again. Planned reads only become due. */
export async function outdate(queryClient: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const { predicate = () => true } = filters
  await queryClient.invalidateQueries({ ...filters, refetchType: 'none' })
  await queryClient.refetchQueries({
    ...filters,
    type: 'active',
    predicate: query => !isPlanned(query) && predicate(query),
  })
}

/** Epoch milliseconds of the last write in the project that a query reads. */
const writtenAt = new WeakMap<object, number>()

/** Returns when a write of this program made the answer of a query outdated; undefined if it was read since. */
export function writtenSince(query: Pick<Query<unknown, ApiError>, 'state'> | undefined): number | undefined {
  const at = query && writtenAt.get(query)
  return at !== undefined && query?.state.isInvalidated && at >= query.state.dataUpdatedAt ? at : undefined
}

function projectOf(input: unknown): unknown {
  return (Object(input) as { projectId?: unknown }).projectId
}

/**
 * Marks as outdated what a write changed, and cancels planned reads in progress.
 * @param inputs of the known requests
 */
export async function outdateAfterWrite(
  queryClient: QueryClient,
  filters: QueryFilters,
  inputs: readonly object[] = [],
): Promise<void> {
  const { predicate = () => true } = filters
  const projects = new Set(inputs.map(projectOf))
  for (const query of queryClient.getQueryCache().findAll(filters))
    if (projects.has(projectOf(query.queryKey[2]))) writtenAt.set(query, Date.now())
  const isOnItsWay = (query: Query): boolean => isPlanned(query) && predicate(query)
  const early = { ...filters, fetchStatus: 'fetching', predicate: isOnItsWay } as const
  if (queryClient.getQueryCache().findAll(early).length > 0) await queryClient.cancelQueries(early)
  await outdate(queryClient, filters)
}

/** Reads what is on screen again after the service got more data. A first read in progress may predate that. */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const isAwaited = (query: Query): boolean => isPlainRead(query) && query.state.data === undefined && query.isActive()
  await queryClient.cancelQueries({ predicate: isAwaited })
  await outdate(queryClient, { predicate: isPlainRead })
}
