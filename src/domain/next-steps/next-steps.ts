import type { ProjectServer } from '../../api/contract/servers.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import { suiteStateOf } from '../runs/suite-state.ts'

/** A task that has not been done in a project yet. */
export type NextStep =
  | { kind: 'add-server' | 'import-servers' | 'add-suite' }
  | { kind: 'run'; suite: EvalSuite }
  | { kind: 'examine' | 'call'; server: ProjectServer }

/** Facts about a project. Lists that were not read are undefined. */
type Known = {
  servers: readonly ProjectServer[] | undefined
  suites: readonly EvalSuite[] | undefined
  /** Whether the doctor has reported on a server. */
  isExamined: (server: ProjectServer) => boolean
  /** Whether a tool was called by hand; undefined while unknown. */
  isCalled: boolean | undefined
  /** Whether this is the local workspace. A suite that has not run there always belongs to the person. */
  isLocal: boolean
}

/**
 * Returns what a person can do in a new project, at most three steps. No step is based on unknown data. A project of a
 * remote service in which a suite has run is in use, and needs none.
 */
export function nextSteps({ servers, suites, isExamined, isCalled, isLocal }: Known): NextStep[] {
  if (!servers || !suites) return []
  if (servers.length === 0) return [{ kind: 'import-servers' }, { kind: 'add-server' }]
  const unrun = suites.filter(suite => suiteStateOf({ suite }).outcome === 'never-run')
  if (!isLocal && unrun.length < suites.length) return []
  const server = servers.find(({ enabled }) => enabled)
  const run: NextStep[] = unrun[0] ? [{ kind: 'run', suite: unrun[0] }] : []
  const examine: NextStep[] = server && !servers.some(isExamined) ? [{ kind: 'examine', server }] : []
  const call: NextStep[] = server && isCalled === false ? [{ kind: 'call', server }] : []
  return [...(suites.length === 0 ? [{ kind: 'add-suite' } as const] : run), ...examine, ...call]
}

/** The projects whose next steps the person has dismissed. */
export type DismissedSteps = {
  has(projectId: string): boolean
  add(projectId: string): void
  subscribe(listener: () => void): () => void
}

export const dismissedStepsKey: ProfileKey<readonly string[]> = {
  name: 'dismissed-steps',
  version: 1,
  empty: [],
  read: ({ projects }) => (Array.isArray(projects) ? projects.filter(id => typeof id === 'string') : undefined),
  write: projects => ({ projects }),
}

/** Creates the record of dismissed steps. Without `stored` it is lost when the program ends. */
export function createDismissedSteps(
  stored: Stored<readonly string[]> = storedInMemory(dismissedStepsKey),
): DismissedSteps {
  return {
    has: projectId => stored.get().includes(projectId),
    add: projectId =>
      stored.change(before => [...before.filter(id => id !== projectId), projectId].slice(-BOUNDS.dismissedSteps.most)),
    subscribe: stored.subscribe,
  }
}
