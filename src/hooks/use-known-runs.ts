import { useCallback, useSyncExternalStore } from 'react'
import type { KnownRuns, RunInWave } from '../domain/swarms/waves.ts'
import { useWorkspace } from './workspace.tsx'

const NONE: KnownRuns = {}
const NOTHING: ReadonlyMap<string, KnownRuns> = new Map()

/** Returns what is known of journey runs, by project; renders again when it changes, and requests nothing. */
export function useAllKnownRuns(): ReadonlyMap<string, KnownRuns> {
  const { waves } = useWorkspace()
  return useSyncExternalStore(waves?.subscribe ?? never, () => waves?.all() ?? NOTHING)
}

/** Returns what is known of the journey runs of a project, and functions that record actions and reads. */
export function useKnownRuns(projectId: string) {
  const { waves } = useWorkspace()
  const known = useAllKnownRuns().get(projectId) ?? NONE
  const know = useCallback((runs: readonly RunInWave[]) => waves?.know(projectId, runs), [waves, projectId])
  const see = useCallback((runs: readonly RunInWave[]) => waves?.see(projectId, runs), [waves, projectId])
  return { known, know, see }
}

function never(): () => void {
  return () => undefined
}
