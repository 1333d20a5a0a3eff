import type { Client } from '../../api/client/client.ts'
import { isMissing, refusal } from '../../api/client/errors/api-error.ts'
import type { AnyEndpoint, Gate } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'

/** Names in `can` of reads that belong to gated features. */
export type GatedRead = 'readSwarms' | 'readUserTesting'

/**
 * State of the flag in the capabilities. `unenforced` means that the flag is off, but the service refuses nothing
 * because of it.
 */
export type FlagState = 'on' | 'off' | 'unenforced' | 'unknown'

/** Returns the organization's flag of the gated features. Only with `enforce` does a disabled flag cause refusals. */
export function flagState(capabilities: ProjectCapabilities | undefined): FlagState {
  const { enabled, enforced, mode } = capabilities?.features?.sandboxes ?? {}
  if (enabled == null) return 'unknown'
  if (enabled) return 'on'
  if (enforced === false || (mode != null && mode !== 'enforce')) return 'unenforced'
  return enforced === true || mode === 'enforce' ? 'off' : 'unknown'
}

/**
 * Whether the feature behind a read is off for the organization. The boolean in `can` decides if it is there; if not,
 * the flag does. A guest may not read even with the feature on, so a refused read alone proves nothing.
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

/** Returns the service's explanation of a feature that is off, or ours; undefined if it is not known to be off. */
export function offWords(capabilities: ProjectCapabilities | undefined, gate: Gate): string | undefined {
  const { read, off } = FEATURES[gate]
  if (!isFeatureOff(capabilities, read)) return undefined
  return capabilities?.features?.sandboxes?.reason ?? off
}

/**
 * Returns what the key may do in a project; undefined if a deployment does not report it.
 * @throws ApiError
 */
export async function capabilitiesOf(client: Client, projectId: string): Promise<ProjectCapabilities | undefined> {
  return await client.projects.capabilities({ projectId }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
}

/**
 * Throws if the feature of a list is off. Call it for an empty list, which is then empty whatever exists (service-api,
 * rule 8).
 * @throws ApiError `refused` with the service's reason
 */
export function refuseClosed(endpoint: AnyEndpoint, capabilities: ProjectCapabilities | undefined): void {
  const words = endpoint.gate && offWords(capabilities, endpoint.gate)
  if (words !== undefined) throw refusal('feature-off', words, { endpoint })
}
