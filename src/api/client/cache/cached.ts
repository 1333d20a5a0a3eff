import type { QueryClient } from '@tanstack/react-query'
import type { AnyEndpoint, InputOf, OutputOf } from '../../contract/endpoint.ts'

type ItemOf<E> = OutputOf<E> extends { items: readonly (infer Item)[] } ? Item : never
type Listed<E> = { items?: readonly ItemOf<E>[] }

/** Every item of a list that was read already, with what the list was asked for; nothing is fetched. */
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
