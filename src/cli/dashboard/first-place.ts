import { hashKey, type QueryClient } from '@tanstack/react-query'
import type { Queries } from '../../api/client/cache/queries.ts'
import type { Router } from '../../tui/router/router.ts'
import { nowRoute, projectsRoute } from '../../app/places.ts'

/**
 * Leaves the list of projects for Now once it is known that there are several: whoever starts for the first time sees
 * what waits over all of them. Nothing moves once the returned function was called, as by the first key.
 */
export function beginOnNow(options: { router: Router; queryClient: QueryClient; queries: Queries }): () => void {
  const { router, queryClient, queries } = options
  const { queryKey } = queries.projects.list.infinite({})
  const look = (): void => {
    const projects = queryClient.getQueryData(queryKey)?.pages.flatMap(({ items }) => items)
    if (!projects) return
    stop()
    if (projects.length > 1 && router.current().screen === projectsRoute.screen)
      router.abandon(() => false, nowRoute.to())
  }
  const hash = hashKey(queryKey)
  const stop = queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryHash === hash) look()
  })
  look()
  return stop
}
