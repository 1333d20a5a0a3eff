import type { Client } from '../../api/client/client.ts'
import { isMissing, refusal } from '../../api/client/errors/api-error.ts'
import type { AnyEndpoint, Gate } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'

/** Names in `can` of the reads that the gated features allow. */
export type GatedRead = 'readSwarms' | 'readUserTesting'

/** What the capabilities report of the flag: `unenforced` = it is off, and the service refuses nothing for it. */
export type FlagState = 'on' | 'off' | 'unenforced' | 'unknown'

/** The organization's flag of the gated features: only `enforce` turns a disabled one into a refusal. */
export function flagState(capabilities: ProjectCapabilities | undefined): FlagState {
  const { enabled, enforced, mode } = capabilities?.features?.sandboxes ?? {}
  if (enabled == null) return 'unknown'
  if (enabled) return 'on'
  if (enforced === false || (mode != null && mode !== 'enforce')) return 'unenforced'
  return enforced === true || mode === 'enforce' ? 'off' : 'unknown'
}

/**
 * Whether the feature behind a read is switched off for the organization. The boolean in `can` decides; the flag only
 * where it is missing. A guest may not read with the feature on either, so a refused read then proves nothing.
 */
export function isFeatureOff(capabilities: ProjectCapabilities | undefined, read: GatedRead): boolean {
  const may = capabilities?.can[read]
  if (may === true) return false
  if (flagState(capabilities) === 'off') return true
  return may === false && (capabilities?.projectRole ?? capabilities?.role) !== 'guest'
}

const FEATURES: Readonly<Record<Gate, { read: GatedRead; off: string }>> = {
  swarms: { read: 'readSwarms', off: 'Swarms are switched off for this organization.' },
  'user-testing': { read: 'readUserTesting', off: 'User testing is switched off for this organization.' },
}

/** The service's own words about a feature that is switched off, or ours; undefined where it is not known to be. */
export function offWords(capabilities: ProjectCapabilities | undefined, gate: Gate): string | undefined {
  const { read, off } = FEATURES[gate]
  if (!isFeatureOff(capabilities, read)) return undefined
  return capabilities?.features?.sandboxes?.reason ?? off
}

/** What the key may do in a project; undefined where a deployment does not report it. @throws ApiError */
export async function capabilitiesOf(client: Client, projectId: string): Promise<ProjectCapabilities | undefined> {
  return await client.projects.capabilities({ projectId }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
}

/**
 * For a list that came empty: while its feature is off it is empty whatever there is (service-api, rule 8).
 * @throws ApiError `refused` in the gate's own words
 */
export function refuseClosed(endpoint: AnyEndpoint, capabilities: ProjectCapabilities | undefined): void {
  const words = endpoint.gate && offWords(capabilities, endpoint.gate)
  if (words !== undefined) throw refusal('feature-off', words, { endpoint })
}
