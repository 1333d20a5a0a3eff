import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { runsRoute } from './route.ts'
import { runLook } from '../../components/records/run-look.ts'

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
    ...cachedItems(queryClient, contract.runs.list).map(({ input, item: run }) => ({
      id: run.id,
      kind: 'run',
      name: `${names.get(input.suiteId) ?? input.suiteId}: ${runWords(run)}`,
      place: runsRoute.to({ projectId: input.projectId, suiteId: input.suiteId, runId: run.id }),
    })),
  ]
}

/** A run as the list calls it; its id comes after that, to be found by. */
function runWords(run: EvalRun): string {
  const { word } = runLook(run)
  return run.runNumber == null ? `${run.id} ${word}` : `#${run.runNumber} ${word} · ${run.id}`
}
