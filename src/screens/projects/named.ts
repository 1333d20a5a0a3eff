import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { projectsRoute } from './route.ts'

/** Projects by name. */
export function namedProjects(queryClient: QueryClient): NamedPlace[] {
  return cachedItems(queryClient, contract.projects.list).map(({ item: { id, name } }) => ({
    id,
    kind: 'project',
    name,
    place: projectsRoute.to({ projectId: id }),
  }))
}
