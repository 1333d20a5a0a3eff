import { environmentManager, QueryClient } from '@tanstack/react-query'

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
