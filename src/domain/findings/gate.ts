import type { Gate } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { isFeatureOff } from '../projects/feature-gate.ts'
import type { FindingSource } from './finding.ts'

/** Whether each source is closed to this key: its reads are empty and its writes refused, however long one waits. */
export type FindingsGate = Readonly<Record<FindingSource, boolean>> & {
  /** The service's own words about what is switched off. */
  reason: string | undefined
}

/** What of the feature a source belongs to, as `mcpdeck serve gate` calls it. */
const GATE_NAMES = { swarm: 'swarms', scenario: 'user-testing' } as const satisfies Record<FindingSource, Gate>

/**
 * What to do about a gate that is closed, as one short sentence.
 * @param isLocal whether it is the local workspace's own
 */
export function gateHelp(isLocal: boolean, closed: readonly FindingSource[]): string {
  if (!isLocal) return 'An owner of the organization can have it switched on; waiting does not help.'
  const commands = closed.map(source => `mcpdeck serve gate ${GATE_NAMES[source]} on`)
  return `Here it is switched on by: ${commands.join('; ')}.`
}

/** What the capabilities say of the gate. They are advice: while they are not known, nothing counts as closed. */
export function gateOf(capabilities: ProjectCapabilities | undefined): FindingsGate {
  return {
    swarm: isFeatureOff(capabilities, 'readSwarms'),
    scenario: isFeatureOff(capabilities, 'readUserTesting'),
    reason: capabilities?.features?.sandboxes?.reason ?? undefined,
  }
}

/** How many insights the organization may ask for in a day, where the plan says so. */
export function insightsPerDay(capabilities: ProjectCapabilities | undefined): number | undefined {
  const limit = capabilities?.plan?.limits?.['insightsPerDay']
  return typeof limit === 'number' ? limit : undefined
}
