import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { scenariosRoute } from './route.ts'

/** Scenarios by name. */
export function namedScenarios(queryClient: QueryClient): NamedPlace[] {
  return cachedItems(queryClient, contract.scenarios.list).map(({ input, item: { id, name } }) => ({
    id,
    kind: 'scenario',
    name,
    place: scenariosRoute.to({ projectId: input.projectId, scenarioId: id }),
  }))
}
