import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { NamedPlace } from '../../tui/router/named-place.ts'
import { runLook } from '../../components/records/run-look.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { baseKeys, compareKeys, insightsKeys, runDateKeys, runsKeys } from './bindings.ts'
import { runsRoute } from './route.ts'
import type { DeclaredSuites, SuiteCases } from './suite-parts.ts'
import { trialsKeys } from './trial/trial-keys.ts'

/** Makes the screen for the eval suites of a project, their cases and their runs. */
export function runsScreenWith<Cases extends SuiteCases>(suites: DeclaredSuites<Cases>) {
  return defineScreen({
    route: runsRoute,
    title: 'Runs',
    about: 'Eval suites with their cases, runs and trials.',
    order: 4,
    goKey: 'r',
    bindings: [runsKeys, runDateKeys, ...suites.bindings, insightsKeys, trialsKeys, compareKeys, baseKeys],
    named: namedRuns,
    async load() {
      const [{ runsScreenOf }, parts] = await Promise.all([import('./screen.tsx'), suites.load()])
      return runsScreenOf(parts)
    },
  })
}

/** Returns suites by name, and the runs of suites that were opened. */
function namedRuns(queryClient: QueryClient): NamedPlace[] {
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
      name: `${names.get(input.suiteId) ?? 'Run'}: ${runWords(run)}`,
      place: runsRoute.to({ projectId: input.projectId, suiteId: input.suiteId, runId: run.id }),
    })),
  ]
}

/** Returns `#3 failed`; the outcome alone if the run has no number. */
function runWords(run: EvalRun): string {
  const { word } = runLook(run)
  return run.runNumber == null ? word : `#${run.runNumber} ${word}`
}
