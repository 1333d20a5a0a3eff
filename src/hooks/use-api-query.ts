import { useQuery, useQueryClient, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import type { ApiError } from '../api/api-error.ts'
import { describeError, type ErrorText } from '../api/error-text.ts'
import type { AnyEndpoint } from '../api/contract/endpoint.ts'
import { contract } from '../api/contract/contract.ts'
import { usePoll } from './use-poll.ts'
import { useWorkspace } from './workspace.tsx'

/** What a pane needs to choose among its five states. */
export type ApiQuery<T> = {
  data: T | undefined
  pending: boolean
  hasData: boolean
  problem: ErrorText | undefined
  updatedAt: number | undefined
  error: ApiError | null
}

/** How often what rests on screen is read again, in milliseconds, to notice what others changed. */
const REST_INTERVAL = { local: 20_000, remote: 50_000 }
/** The same while the line is down, so that its return is noticed soon. */
const LOST_INTERVAL = 15_000

/** Only plain reads are repeated unasked: a read over POST reaches through to somebody's MCP server. */
function isPlainRead(key: QueryKey): boolean {
  const [resource, name] = key
  const endpoints: Record<string, Record<string, AnyEndpoint>> = contract
  return endpoints[String(resource)]?.[String(name)]?.method === 'GET'
}

/** Reads one operation. Pass what `queries.<resource>.<name>.options(input)` gives. */
export function useApiQuery<T, Key extends QueryKey>(
  options: UseQueryOptions<T, ApiError, T, Key>,
): ApiQuery<T> {
  const { budget } = useWorkspace()
  const rest = REST_INTERVAL[budget.snapshot().unlimited ? 'local' : 'remote']
  const refetchInterval = ({ state }: { state: { error: ApiError | null } }): number | false => {
    if (!isPlainRead(options.queryKey)) return false
    return state.error?.kind === 'network' ? Math.min(rest, LOST_INTERVAL) : rest
  }
  const query = useQuery({ refetchInterval, ...options })
  return {
    data: query.data,
    pending: query.isPending,
    hasData: query.data !== undefined,
    problem: query.error ? describeError(query.error) : undefined,
    // Read only where the age shows, so that an unchanged answer draws nothing.
    get updatedAt() {
      return query.dataUpdatedAt || undefined
    },
    error: query.error,
  }
}

/**
 * Reads one operation and keeps reading it while `isLive` says so of the last answer.
 * `requestsEach` is what one round costs, with everything that is polled along with it.
 */
export function useLiveQuery<T, Key extends QueryKey>(
  options: UseQueryOptions<T, ApiError, T, Key>,
  poll: { isLive: (data: T) => boolean; requestsEach: number },
): ApiQuery<T> & { live: boolean; interval: number | false } {
  const last = useQueryClient().getQueryData<T>(options.queryKey)
  const live = last !== undefined && poll.isLive(last)
  const interval = usePoll({ live, requestsEach: poll.requestsEach })
  const query = useApiQuery({ ...options, ...(interval !== false && { refetchInterval: interval }) })
  return Object.assign(query, { live, interval })
}
