import { defineScreen } from '../../tui/router/screen.ts'
import { baseKeys, compareKeys, insightsKeys, runDateKeys, runsKeys } from './bindings.ts'
import { namedRuns } from './named.ts'
import { runsRoute } from './route.ts'
import type { DeclaredSuites, SuiteCases } from './suite-parts.ts'
import { trialsKeys } from './trial/trial-keys.ts'

/** The eval suites of a project, their cases and their runs. */
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
