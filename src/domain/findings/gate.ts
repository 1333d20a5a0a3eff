import type { Gate } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { isFeatureOff } from '../projects/feature-gate.ts'
import type { FindingSource } from './finding.ts'

/** Whether each source is unavailable to this key, so that its reads are empty and its writes refused. */
export type FindingsGate = Readonly<Record<FindingSource, boolean>> & {
  /** The service's explanation why a feature is off. */
  reason: string | undefined
}

/** The feature of each source, as `mcpdeck serve gate` names it. */
const GATE_NAMES = { swarm: 'swarms', scenario: 'user-testing' } as const satisfies Record<FindingSource, Gate>

/**
 * Returns a short sentence about how to switch the feature on.
 * @param isLocal whether it is the local workspace's own
 */
export function gateHelp(isLocal: boolean, closed: readonly FindingSource[]): string {
  if (!isLocal) return 'An owner of the organization can have it switched on; waiting does not help.'
  const commands = closed.map(source => `mcpdeck serve gate ${GATE_NAMES[source]} on`)
  return `Here it is switched on by: ${commands.join('; ')}.`
}

/**
 * Returns the features that are off according to the capabilities. These are only advice: until they are known, nothing
 * counts as off.
 */
export function gateOf(capabilities: ProjectCapabilities | undefined): FindingsGate {
  return {
    swarm: isFeatureOff(capabilities, 'readSwarms'),
    scenario: isFeatureOff(capabilities, 'readUserTesting'),
    reason: capabilities?.features?.sandboxes?.reason ?? undefined,
  }
}

/** Returns the number of insights that the organization may request in a day, if the capabilities say so. */
export function insightsPerDay(capabilities: ProjectCapabilities | undefined): number | undefined {
  const limit = capabilities?.plan?.limits?.['insightsPerDay']
  return typeof limit === 'number' ? limit : undefined
}
