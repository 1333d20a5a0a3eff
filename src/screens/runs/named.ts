import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { NamedPlace } from '../../app/router/named-place.ts'
import { runsRoute } from './route.ts'

/** Suites by name, and the runs of those that were looked at. */
export function namedRuns(queryClient: QueryClient): NamedPlace[] {
  const suites = cachedItems(queryClient, contract.suites.list)
  const names = new Map(suites.map(({ item }) => [item.id, item.name]))
  return [
    ...suites.map(({ input, item: { id, name } }) => ({
      id,
      kind: 'suite',
      name: name ?? id,
      place: runsRoute.to({ projectId: input.projectId, suiteId: id }),
    })),
    ...cachedItems(queryClient, contract.runs.list).map(({ input, item: { id, status } }) => ({
      id,
      kind: 'run',
      name: `${names.get(input.suiteId) ?? input.suiteId}: ${id} ${status}`,
      place: runsRoute.to({ projectId: input.projectId, suiteId: input.suiteId, runId: id }),
    })),
  ]
}
