import type { ProjectCapabilities } from '../contract/projects.ts'
import type { FindingSource } from './finding.ts'

/** Whether each source is closed to this key: its reads are empty and its writes refused, however long one waits. */
export type FindingsGate = Readonly<Record<FindingSource, boolean>> & {
  /** The service's own words about what is switched off. */
  reason: string | undefined
}

const PERMISSION = { swarm: 'readSwarms', scenario: 'readUserTesting' } as const

/** What the capabilities say of the gate. They are advice: while they are not known, nothing counts as closed. */
export function gateOf(capabilities: ProjectCapabilities | undefined): FindingsGate {
  const sandboxes = capabilities?.features?.sandboxes
  const isOff = sandboxes?.mode === 'off' || (sandboxes?.enabled === false && sandboxes.enforced !== false)
  const isClosed = (source: FindingSource): boolean => {
    const may = capabilities?.can[PERMISSION[source]]
    return typeof may === 'boolean' ? !may : isOff
  }
  return {
    swarm: isClosed('swarm'),
    scenario: isClosed('scenario'),
    reason: sandboxes?.reason ?? undefined,
  }
}

/** How many insights the organization may ask for in a day, where the plan tells. */
export function insightsPerDay(capabilities: ProjectCapabilities | undefined): number | undefined {
  const limit = capabilities?.plan?.limits?.['insightsPerDay']
  return typeof limit === 'number' ? limit : undefined
}
