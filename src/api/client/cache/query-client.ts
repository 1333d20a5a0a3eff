import {
  environmentManager,
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
import { shareAnswer } from './one-list.ts'
import { keepStates } from './page-states.ts'

/** Data younger than this is not fetched again by merely looking at it, in milliseconds. */
const STALE_MS = 10_000
/** How long data of a left screen is kept, in milliseconds. */
const KEEP_MS = 10 * 60_000
/** What took longer than this to arrive is as old as its request, in milliseconds. */
const LATE_MS = 1_000

/** When the first request left of what a query is reading, in epoch milliseconds. */
const leftAt = new WeakMap<object, number>()

/**
 * Begins a read, or goes on with the next page of one. What it returns is told when the request of each answer left:
 * a slow line brings old news, and no screen may say that it is new.
 */
export function datedRead(queryClient: QueryClient, queryKey: QueryKey, goesOn: boolean): (at: number) => void {
  const query = queryClient.getQueryCache().find({ queryKey, exact: true })
  if (query && !goesOn) leftAt.delete(query)
  return at => {
    if (query) leftAt.set(query, Math.min(at, leftAt.get(query) ?? Infinity))
  }
}

/** Dates an answer by its request. */
function date(query: Pick<Query<unknown, unknown, unknown>, 'state' | 'setState'>): void {
  const at = leftAt.get(query)
  leftAt.delete(query)
  if (at !== undefined && query.state.dataUpdatedAt - at > LATE_MS) query.setState({ dataUpdatedAt: at })
}

/**
 * The cache of server state. Retries live in the transport, so that they pass the request budget.
 * Call `clear()` at the end: kept data holds timers.
 */
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

/** The same, whose polls share their wakes with all else in this process that is looked at again and again. */
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

/** Owner of reads that are made in an order of their own, since there may be hundreds: those of Now. */
export const PLANNED = 'now'

/** Whether a query is read by a plan. */
export function isPlanned({ meta }: { meta?: QueryMeta | undefined }): boolean {
  return meta?.owner === PLANNED
}

/**
 * Marks what matches as out of date, and reads again what of it is on screen. What is read by a plan only gets due by
 * that: all at once it would keep everything else waiting for minutes.
 */
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

/** When a write of this program made the answer of a query out of date; undefined where it was read since. */
export function writtenSince(query: Pick<Query<unknown, ApiError>, 'state'> | undefined): number | undefined {
  const at = query && writtenAt.get(query)
  return at !== undefined && query?.state.isInvalidated && at >= query.state.dataUpdatedAt ? at : undefined
}

function projectOf(input: unknown): unknown {
  return (Object(input) as { projectId?: unknown }).projectId
}

/**
 * Marks what a write has made out of date. A planned read that is on its way may have been answered before the write,
 * so that it is given up.
 * @param inputs those of the requests that were sent, as far as they are known
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

/**
 * Reads again what is on screen, since the service has more than it had. A first answer that is on its way was made
 * before that, and invalidating alone would take it for the new one.
 */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const isAwaited = (query: Query): boolean => isPlainRead(query) && query.state.data === undefined && query.isActive()
  await queryClient.cancelQueries({ predicate: isAwaited })
  await outdate(queryClient, { predicate: isPlainRead })
}
