import { useMemo } from 'react'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { plural, UNKNOWN } from '../../lib/format.ts'

/** Whether a row stands for the whole project, including journeys without a swarm. */
export function isProject({ id, projectId }: Swarm): boolean {
  return id === projectId
}

/** Returns a function for the names of records that journeys refer to, by id; an id is shown if its name is unknown. */
export function useNames(projectId: string): (id: string | null | undefined) => string | undefined {
  const { queries } = useWorkspace()
  const environments = useWholeList(queries.environments.list, { projectId }).items
  const personas = useWholeList(queries.personas.list, { projectId }).items
  const swarms = useWholeList(queries.swarms.list, { projectId }).items
  return useMemo(() => {
    const all = [...(environments ?? []), ...(personas ?? []), ...(swarms ?? [])]
    const names = new Map(all.map(({ id, name }) => [id, name ?? id]))
    return id => (id == null ? undefined : (names.get(id) ?? id))
  }, [environments, personas, swarms])
}

/** Returns `2 targets × 3 sessions, up to 8 turns each`. */
export function sizeText({ environmentIds, sessionsPerTarget, maxTurns }: Pick<Journey, SizeField>): string {
  const targets = environmentIds?.length ? plural(environmentIds.length, 'target') : 'its targets'
  const sessions = sessionsPerTarget == null ? `${UNKNOWN} sessions` : plural(sessionsPerTarget, 'session')
  return `${targets} × ${sessions}${maxTurns == null ? '' : `, up to ${plural(maxTurns, 'turn')} each`}`
}

type SizeField = 'environmentIds' | 'sessionsPerTarget' | 'maxTurns'
