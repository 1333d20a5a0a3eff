import { environmentManager, type Query, QueryClient, timeoutManager } from '@tanstack/react-query'
import { every } from '../../../lib/every.ts'
import { isPlainRead } from './cache-contents.ts'

/** Data younger than this is not fetched again by merely looking at it, in milliseconds. */
const STALE_MS = 10_000
/** How long data of a left screen is kept, in milliseconds. */
const KEEP_MS = 10 * 60_000

/**
 * The cache of server state. Retries live in the transport, so that they pass the request budget.
 * Call `clear()` at the end: kept data holds timers.
 */
export function createQueryClient(): QueryClient {
  // In Node the library takes itself for a server and then neither polls nor expires anything.
  environmentManager.setIsServer(() => false)
  return new QueryClient({
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
  return createQueryClient()
}

/**
 * Reads again what is on screen, since the service has more than it had. A first answer that is on its way was made
 * before that, and invalidating alone would take it for the new one.
 */
export async function readAgain(queryClient: QueryClient): Promise<void> {
  const isAwaited = (query: Query): boolean => isPlainRead(query) && query.state.data === undefined && query.isActive()
  await queryClient.cancelQueries({ predicate: isAwaited })
  await queryClient.invalidateQueries({ predicate: isPlainRead })
}
