import { PROJECT_PERMISSIONS, type ProjectCapabilities } from '../../api/contract/projects.ts'
import { flagState, type FlagState } from '../../domain/projects/feature-gate.ts'
import { UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Line } from '../viewer.tsx'

/** A name of the wire as words: `launch eval run` for `launchEvalRun`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`)
}

const FEATURE_TEXTS: Record<FlagState, string | undefined> = {
  on: 'on',
  off: 'off for this organization',
  unenforced: 'on: the flag is off, but not enforced',
  unknown: undefined,
}

/** Whether the organization has the gated features; undefined while that is not known. */
export function featureText(capabilities: ProjectCapabilities | undefined): string | undefined {
  return FEATURE_TEXTS[flagState(capabilities)]
}

/** What the caller may do in the project; advice, since every write still checks. */
export function permissionLines(capabilities: ProjectCapabilities, symbols: Symbols): Line[] {
  const names = [...new Set([...PROJECT_PERMISSIONS, ...Object.keys(capabilities.can)])]
  const allowedFirst = names.sort((a, b) => Number(capabilities.can[b] === true) - Number(capabilities.can[a] === true))
  return allowedFirst.map(name => {
    const allowed = capabilities.can[name]
    const known = typeof allowed === 'boolean'
    return {
      parts: [
        {
          text: `${known ? (allowed ? symbols.ok : symbols.error) : UNKNOWN} `,
          tone: known ? (allowed ? 'ok' : 'error') : 'muted',
        },
        { text: wordsOf(name), tone: allowed === true ? 'plain' : 'muted' },
      ],
    }
  })
}
