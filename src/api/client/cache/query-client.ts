import {
  environmentManager,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryFilters,
  type QueryKey,
  timeoutManager,
} from '@tanstack/react-query'
import { every, together } from '../../../lib/clock.ts'
import { isPlainRead } from './cache-contents.ts'
import { keepStates } from './page-states.ts'
import { pollFromLastAnswer } from './steady-interval.ts'

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
  pollFromLastAnswer(client)
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

function isPlanned({ meta }: Query): boolean {
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

/**
 * Reads again what is on screen, since the service has more than it had. A first answer that is on its way was made
 * before that, and invalidating alone would take it for the new one.
 */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const isAwaited = (query: Query): boolean => isPlainRead(query) && query.state.data === undefined && query.isActive()
  await queryClient.cancelQueries({ predicate: isAwaited })
  await outdate(queryClient, { predicate: isPlainRead })
}
