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
