import { PROJECT_PERMISSIONS, type ProjectCapabilities } from '../../api/contract/projects.ts'
import { flagState, type FlagState } from '../../domain/projects/feature-gate.ts'
import { UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Line } from '../viewer.tsx'

/** Returns a wire name as words: `launch eval run` for `launchEvalRun`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`)
}

const FEATURE_TEXTS: Record<FlagState, string | undefined> = {
  on: 'on',
  off: 'off for this organization',
  unenforced: 'on: the flag is off, but not enforced',
  unknown: undefined,
}

/** Says whether the organization has the gated features; undefined if unknown. */
export function featureText(capabilities: ProjectCapabilities | undefined): string | undefined {
  return FEATURE_TEXTS[flagState(capabilities)]
}

/** Returns every permission by name, and whether the caller has it; undefined if the service does not say. */
function permissionsOf({ can }: ProjectCapabilities): [name: string, isAllowed: boolean | undefined][] {
  const names = [...new Set([...PROJECT_PERMISSIONS, ...Object.keys(can)])]
  return names.map(name => [name, typeof can[name] === 'boolean' ? can[name] : undefined])
}

/**
 * Returns `all but: delete any eval run`, or counts if some are unknown. Only advice, since every write is checked
 * anyway.
 */
export function permissionSummary(capabilities: ProjectCapabilities): string {
  const permissions = permissionsOf(capabilities)
  const named = (state: boolean | undefined) =>
    permissions.flatMap(([name, isAllowed]) => (isAllowed === state ? wordsOf(name) : []))
  const [allowed, denied, unknown] = [named(true), named(false), named(undefined)]
  if (unknown.length > 0) {
    const not = denied.length > 0 ? [`not: ${denied.join(', ')}`] : []
    return [`${allowed.length} of ${permissions.length}`, ...not, `not known: ${unknown.join(', ')}`].join('; ')
  }
  if (denied.length === 0) return 'everything'
  if (allowed.length === 0) return 'nothing'
  return allowed.length < denied.length ? `only: ${allowed.join(', ')}` : `all but: ${denied.join(', ')}`
}

/** Lists the caller's permissions in the project. Only advice, since every write is checked anyway. */
export function permissionLines(capabilities: ProjectCapabilities, symbols: Symbols): Line[] {
  const allowedFirst = permissionsOf(capabilities).toSorted(([, a], [, b]) => Number(b === true) - Number(a === true))
  return allowedFirst.map(([name, isAllowed]) => {
    const isKnown = isAllowed !== undefined
    return {
      parts: [
        {
          text: `${isKnown ? (isAllowed ? symbols.ok : symbols.error) : UNKNOWN} `,
          tone: isKnown ? (isAllowed ? 'ok' : 'error') : 'muted',
        },
        { text: wordsOf(name), tone: isAllowed === true ? 'plain' : 'muted' },
      ],
    }
  })
}
