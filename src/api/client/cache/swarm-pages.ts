import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { setImmediate } from 'node:timers/promises'
import type { ApiError } from '../errors/api-error.ts'
import type { Client } from '../client.ts'
import { contract } from '../../contract/contract.ts'
import type { OutputOf } from '../../contract/endpoint.ts'
import { datedRead } from './query-client.ts'
import { nextCursor } from '../pages.ts'

const { list } = contract.journeyFindings

/** Maximum number of pages of a project that one read takes. */
const MOST_PAGES = 20

export type SwarmPages = InfiniteData<OutputOf<typeof list>, string | undefined>

function keyOf<Form extends string>(projectId: string, form: Form) {
  return [list.resource, list.name, { projectId }, form] as const
}

/**
 * The key under which a list that is read page by page keeps them; what `queries.journeyFindings.list.infinite` says
 * too.
 */
export function swarmPagesKey(projectId: string) {
  return keyOf(projectId, 'pages')
}

/**
 * A project's swarm findings with all pages in one read, for whoever repeats them as a whole: the list goes by first
 * sight, so that what came back stands far behind what is new. Where they are read page by page, the same pages are
 * there at once.
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
        // A service in the same process answers without a pause in which keys would be heard.
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

/** Gives what was read page by page to those who read it as a whole. */
export function shareSwarmPages(queryClient: QueryClient, projectId: string): void {
  const whole = keyOf(projectId, 'whole')
  const pages = queryClient.getQueryData<SwarmPages>(swarmPagesKey(projectId))
  if (pages && queryClient.getQueryState(whole)) queryClient.setQueryData(whole, pages)
}

/**
 * Reads those pages again on which these findings stand, and puts them into the list.
 * @returns false if one of them is not known to be on any page, or no longer is
 */
export async function rereadSwarmPages(
  client: Client,
  queryClient: QueryClient,
  of: { projectId: string; ids: ReadonlySet<string> },
): Promise<boolean> {
  const { projectId, ids } = of
  const queryKey = swarmPagesKey(projectId)
  // A read of everything that is under way would put back what it read before.
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
    // The others are as old as they were.
    { updatedAt: state.dataUpdatedAt },
  )
  return true
}
