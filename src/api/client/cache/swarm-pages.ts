import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { setImmediate } from 'node:timers/promises'
import type { ApiError } from '../errors/api-error.ts'
import type { Client } from '../client.ts'
import { contract } from '../../contract/contract.ts'
import type { OutputOf } from '../../contract/endpoint.ts'
import { datedRead } from './query-client.ts'
import { nextCursor } from '../pages.ts'

const { list } = contract.journeyFindings

/** Maximum number of pages that one read of a project takes. */
const MOST_PAGES = 20

export type SwarmPages = InfiniteData<OutputOf<typeof list>, string | undefined>

function keyOf<Form extends string>(projectId: string, form: Form) {
  return [list.resource, list.name, { projectId }, form] as const
}

/**
 * Returns the key under which a list that is read page by page stores its pages, as
 * `queries.journeyFindings.list.infinite` does.
 */
export function swarmPagesKey(projectId: string) {
  return keyOf(projectId, 'pages')
}

/**
 * Reads all pages of a project's swarm findings at once, for callers that repeat them as a whole. The list is sorted by
 * the time of the first failure, so a finding that reappeared is far behind new ones. Screens that read it page by page
 * get the same pages at once.
 */
export function wholeSwarmFindings(client: Client, queryClient: QueryClient, projectId: string) {
  const read = () => queryClient.getQueryState<SwarmPages>(swarmPagesKey(projectId))
  return queryOptions<SwarmPages, ApiError, SwarmPages, ReturnType<typeof keyOf<'whole'>>>({
    queryKey: keyOf(projectId, 'whole'),
    queryFn: async ({ signal, meta, queryKey }) => {
      const whole: SwarmPages = { pages: [], pageParams: [] }
      const leftAt = datedRead(queryClient, queryKey, false)
      const options = { signal, leftAt, priority: meta?.priority ?? 'visible', owner: meta?.owner }
      let cursor: string | undefined
      for await (const page of client.pages(list, { projectId }, options)) {
        whole.pages.push(page)
        whole.pageParams.push(cursor)
        cursor = nextCursor(list, page)
        if (whole.pages.length === MOST_PAGES) break
        // A service in the same process answers without a pause in which keys would be handled.
        await setImmediate()
      }
      signal.throwIfAborted()
      queryClient.setQueryData<SwarmPages>(swarmPagesKey(projectId), whole)
      return whole
    },
    initialData: () => read()?.data,
    initialDataUpdatedAt: () => read()?.dataUpdatedAt,
  })
}

/** Copies pages that were read one by one to the query that reads the whole list. */
export function shareSwarmPages(queryClient: QueryClient, projectId: string): void {
  const whole = keyOf(projectId, 'whole')
  const pages = queryClient.getQueryData<SwarmPages>(swarmPagesKey(projectId))
  if (pages && queryClient.getQueryState(whole)) queryClient.setQueryData(whole, pages)
}

/**
 * Reads the pages with these findings again, and puts them into the list.
 * @returns false if one of them is not known to be on any page, or is no longer there
 */
export async function rereadSwarmPages(
  client: Client,
  queryClient: QueryClient,
  of: { projectId: string; ids: ReadonlySet<string> },
): Promise<boolean> {
  const { projectId, ids } = of
  const queryKey = swarmPagesKey(projectId)
  // A read of the whole list in progress would restore what it read before.
  await queryClient.cancelQueries({ queryKey, exact: true })
  const state = queryClient.getQueryState<SwarmPages>(queryKey)
  if (!state?.data || state.dataUpdateCount === 0) return false
  const { pages, pageParams } = state.data
  const wanted = pages.flatMap((page, index) => (page.items.some(({ id }) => ids.has(id)) ? index : []))
  const fresh = new Map(
    await Promise.all(
      wanted.map(async index => {
        const cursor = pageParams[index]
        const input = { projectId, ...(cursor !== undefined && { cursor }) }
        return [index, await client.call(list, input)] as const
      }),
    ),
  )
  const found = new Set([...fresh.values()].flatMap(({ items }) => items.map(({ id }) => id)))
  if ([...ids].some(id => !found.has(id))) return false
  queryClient.setQueryData<SwarmPages>(
    queryKey,
    { pages: pages.map((page, index) => fresh.get(index) ?? page), pageParams },
    // The age of the other pages is unchanged.
    { updatedAt: state.dataUpdatedAt },
  )
  return true
}
