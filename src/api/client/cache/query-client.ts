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

/** Data younger than this is not fetched again by merely looking at it, in milliseconds. */
const STALE_MS = 10_000
/** How long data of a left screen is kept, in milliseconds. */
const KEEP_MS = 10 * 60_000
/** What took longer than this to arrive is as old as its request, in milliseconds. */
const LATE_MS = 1_000

/** The query with this key. The cache's `find` compares the key with that of every query. */
export function queryAt(queryClient: QueryClient, queryKey: QueryKey): Query | undefined {
  return queryClient.getQueryCache().get(hashKey(queryKey))
}

/** When the first request of the present read left, by query, in epoch milliseconds. */
const leftAt = new WeakMap<object, number>()

/** Begins a read or its next page. Returns what dates the answer by its request: a slow line brings old data. */
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

/** The cache of server state; retries belong to the transport. Call `clear()` at the end, because data holds timers. */
export function createQueryClient(): QueryClient {
  // In Node the library takes itself for a server and then neither polls nor expires anything.
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

/** The same, whose polls share their wakes with all else in this process that is examined again and again. */
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

/** Marks what matches as out of date and rereads what is on screen; planned reads only become due. */
export async function outdate(queryClient: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const { predicate = () => true } = filters
  await queryClient.invalidateQueries({ ...filters, refetchType: 'none' })
  await queryClient.refetchQueries({
    ...filters,
    type: 'active',
    predicate: query => !isPlanned(query) && predicate(query),
  })
}

/** When something was written in the project that a query reads, in epoch milliseconds. */
const writtenAt = new WeakMap<object, number>()

/** When a write of this program made the answer of a query out of date; undefined if it was read since. */
export function writtenSince(query: Pick<Query<unknown, ApiError>, 'state'> | undefined): number | undefined {
  const at = query && writtenAt.get(query)
  return at !== undefined && query?.state.isInvalidated && at >= query.state.dataUpdatedAt ? at : undefined
}

function projectOf(input: unknown): unknown {
  return (Object(input) as { projectId?: unknown }).projectId
}

/** Marks as out of date what a write changed; cancels planned reads under way. @param inputs of the known requests */
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

/** Rereads what is on screen after the service got more data; a first read under way may predate that. */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const isAwaited = (query: Query): boolean => isPlainRead(query) && query.state.data === undefined && query.isActive()
  await queryClient.cancelQueries({ predicate: isAwaited })
  await outdate(queryClient, { predicate: isPlainRead })
}
