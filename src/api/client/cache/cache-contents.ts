import { parseExact } from '../../../lib/json.ts'
import { takesMore } from '../../../lib/json-beginning.ts'
import { hashKey, hydrate, type InfiniteData, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { BOUNDS } from '../../../lib/bounds.ts'
import { isLineFault } from '../errors/api-error.ts'
import type { StoredAnswer } from './cache-file.ts'
import { type Contract, contract } from '../../contract/contract.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** Maximum number of characters of one stored answer, and of all of them. */
const MAX_ANSWER = BOUNDS.cachedAnswer.most
const MAX_ALL = BOUNDS.cachedAnswers.most
/** Maximum age of stored answers in milliseconds. */
const MAX_AGE_MS = 14 * 24 * 60 * 60_000

/** Resources whose answers contain links that grant access: to scenarios, and for signing in. */
const WITH_LINKS = new Set<keyof Contract>(['connections', 'scenarios', 'userTesting'])
/** Answers with whole conversations, which are large and private. */
const CONVERSATIONS = new Set<AnyEndpoint>([
  contract.iterations.steps,
  contract.iterations.trace,
  contract.traceExports.otlp,
  contract.userTestingSessions.get,
])

/** Returns answers to store for the next start, latest first, within limits on size and age. */
export function answersToStore(queryClient: QueryClient, now: number): StoredAnswer[] {
  const kept: StoredAnswer[] = []
  let room = MAX_ALL
  const queries = queryClient
    .getQueryCache()
    .findAll({ predicate: query => mayBeKept(query, now) })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
  for (const { queryKey, state } of queries) {
    const most = Math.min(room, MAX_ANSWER)
    const data = isPaged(queryKey) ? firstPage(state.data) : state.data
    // This runs when the program ends, so an answer that is too large is not serialized first.
    if (takesMore(data, most)) continue
    const json = JSON.stringify(data)
    if (json.length > most) continue
    room -= json.length
    kept.push({ key: queryKey, at: state.dataUpdatedAt, json })
  }
  return kept
}

/** Restores stored answers for what has not been read yet. They count as outdated, whatever their age. */
export function restoreAnswers(queryClient: QueryClient, answers: readonly StoredAnswer[]): void {
  const queries = answers.map(({ key, at, json }) => {
    const data: unknown = parseExact(json)
    return {
      queryKey: key,
      queryHash: hashKey(key),
      dehydratedAt: at,
      ...(isPaged(key) && { queryType: 'infinite' as const }),
      state: {
        data: isPaged(key) ? { pages: [data], pageParams: [undefined] } : data,
        dataUpdatedAt: at,
        dataUpdateCount: 0,
        error: null,
        errorUpdateCount: 0,
        errorUpdatedAt: 0,
        fetchFailureCount: 0,
        fetchFailureReason: null,
        fetchMeta: null,
        fetchStatus: 'idle' as const,
        isInvalidated: true,
        status: 'success' as const,
      },
    }
  })
  hydrate(queryClient, { queries })
}

/** Whether all data comes from an earlier session. */
export function isRestored({ state }: Pick<Query, 'state'>): boolean {
  return state.data !== undefined && state.dataUpdateCount === 0
}

/** Whether a query is a GET request to the service. A read over POST connects to an MCP server. */
export function isPlainRead({ queryKey }: Pick<Query, 'queryKey'>): boolean {
  return endpointOf(queryKey)?.method === 'GET'
}

/** Whether a query reads from the service. Others read from this machine, such as the journal. */
export function isOfService({ queryKey: [resource] }: Pick<Query, 'queryKey'>): boolean {
  return Object.hasOwn(contract, String(resource))
}

/** Returns the declared operation that a query reads. */
export function endpointOf(key: QueryKey): AnyEndpoint | undefined {
  const [resource, name] = key
  const endpoints: Record<string, Record<string, AnyEndpoint>> = contract
  return endpoints[String(resource)]?.[String(name)]
}

/** Whether an answer may be stored. Only plain reads may, since a read over POST returns text of an MCP server. */
function mayBeKept({ queryKey, state }: Query, now: number): boolean {
  const endpoint = endpointOf(queryKey)
  if (state.data === undefined || endpoint?.method !== 'GET' || endpoint.local) return false
  if (WITH_LINKS.has(endpoint.resource as keyof Contract) || CONVERSATIONS.has(endpoint)) return false
  if (now - state.dataUpdatedAt > MAX_AGE_MS) return false
  // Data that was refused or removed since must not reappear.
  return state.error === null || isLineFault(state.error)
}

function isPaged(key: QueryKey): boolean {
  return key[3] === 'pages'
}

/** Returns only the first page. Further pages depend on cursors that may be invalid tomorrow. */
function firstPage(data: unknown): unknown {
  return (data as InfiniteData<unknown>).pages[0]
}
