import type { QueryClient } from '@tanstack/react-query'
import type { AnyEndpoint, InputOf, ItemOf } from '../../contract/endpoint.ts'

type Listed<E> = { items?: readonly ItemOf<E>[] }

/**
 * Returns every item of a list that was already read, with the input of its request. An item in the answers of several
 * queries is returned several times. Sends no requests.
 */
export function cachedItems<E extends AnyEndpoint>(
  queryClient: QueryClient,
  endpoint: E,
): { input: InputOf<E>; item: ItemOf<E> }[] {
  const queries = queryClient.getQueryCache().findAll({ queryKey: [endpoint.resource, endpoint.name] })
  return queries.flatMap(({ queryKey, state }) => {
    const data = state.data as Listed<E> | { pages: readonly Listed<E>[] } | undefined
    const pages = data === undefined ? [] : 'pages' in data ? data.pages : [data]
    const input = queryKey[2] as InputOf<E>
    return pages.flatMap(page => page.items ?? []).map(item => ({ input, item }))
  })
}

/**
 * Returns the items of cached lists as things that can be opened by name. `to` returns the place of an item by its id.
 */
export function namedItems<E extends AnyEndpoint, Place>(
  endpoint: ItemOf<E> extends { id: string; name?: string | null } ? E : never,
  kind: string,
  to: (input: InputOf<E>, id: string) => Place,
): (queryClient: QueryClient) => { id: string; kind: string; name: string; place: Place }[] {
  return queryClient =>
    cachedItems<E>(queryClient, endpoint).map(({ input, item }) => {
      const { id, name } = item as { id: string; name?: string | null }
      return { id, kind, name: name ?? id, place: to(input, id) }
    })
}

/** Returns names of records by id, from any answer that was already read. Sends no requests. */
export function cachedNames(queryClient: QueryClient, ids: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { id, name } = value as { id?: unknown; name?: unknown }
    if (typeof id === 'string' && typeof name === 'string' && ids.has(id)) names.set(id, name)
    for (const inner of Object.values(value)) if (Array.isArray(inner)) inner.forEach(look)
  }
  for (const { state } of queryClient.getQueryCache().getAll()) look(state.data)
  return names
}
