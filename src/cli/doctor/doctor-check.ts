import { createTheme, type Theme, type Tone } from '../../tui/theme/theme.ts'
import { fit, widthOf } from '../../tui/theme/text.ts'
import { abilitiesOf } from '../../tui/terminal/abilities.ts'
import { EXIT } from '../process/exit-codes.ts'
import { linesWithin } from '../output/prose.ts'
import type { CommonOptions } from '../config/settings.ts'

/** A check of the doctor. */
export type Check = {
  check: string
  state: 'ok' | 'warn' | 'fail' | 'skipped' | 'advice'
  detail: string
  /** The suggested fix. */
  next: string | null
}

/** The cause of a failed check, which decides the exit code: an invalid configuration, or an unusable service. */
export type Fault = 'configuration' | 'service'
export type Finding = Check & { fault?: Fault }

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, next: null }
}

export function warn(check: string, detail: string, next: string): Finding {
  return { check, state: 'warn', detail, next }
}

export function fail(check: string, fault: Fault, detail: string, next: string): Finding {
  return { check, state: 'fail', detail, next, fault }
}

export function skipped(check: string, detail: string): Finding {
  return { check, state: 'skipped', detail, next: null }
}

/** Returns the exit code. Configuration errors come first: no other result can be trusted before they are fixed. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const faults = findings.flatMap(({ fault }) => fault ?? [])
  if (faults.includes('configuration')) return EXIT.usage
  return faults.length > 0 ? EXIT.noVerdict : EXIT.done
}

const LEVELS = { 0: 0, 16: 1, 256: 2, true: 3 } as const

/** Returns the theme of a report on this standard output; without a terminal there is no color. */
export function reportTheme(common: CommonOptions): Theme {
  const { colour, unicode } = abilitiesOf(process.env, process.stdout.isTTY)
  const level = common.color === false || !process.stdout.isTTY ? 0 : LEVELS[colour]
  return createTheme({ level, ascii: common.ascii === true || !unicode })
}

/** Returns `✓ name detail` for every check, with the suggested fix below. */
export function checkLines(checks: readonly Check[], theme: Theme): string {
  const marks: Record<Check['state'], [Tone, string]> = {
    ok: ['ok', theme.symbols.ok],
    warn: ['warn', theme.symbols.warn],
    fail: ['error', theme.symbols.error],
    skipped: ['muted', theme.symbols.pending],
    advice: ['plain', theme.symbols.bullet],
  }
  const width = Math.max(...checks.map(({ check }) => widthOf(check)))
  const indent = width + 4
  const below = (lines: readonly string[]): string[] => lines.map(line => ' '.repeat(indent) + line)
  return checks
    .flatMap(({ check, state, detail, next }) => {
      const [first = '', ...others] = detail.split('\n').flatMap(line => linesWithin(line, process.stdout, indent))
      const steps = next === null ? [] : linesWithin(next, process.stdout, indent)
      return [
        `${theme.paint(...marks[state])} ${fit(check, width)}  ${first}`,
        ...below(others),
        ...below(steps.map(line => theme.paint('muted', line))),
      ]
    })
    .map(line => `${line}\n`)
    .join('')
}
