import { failingOf, type Between, type Changes, type Check, type Scenario } from '../../domain/conformance/verdict.ts'
import { formatAgo, formatDuration, plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Theme, Tone } from '../../tui/theme/theme.ts'
import { behind, laidOut } from '../output/prose.ts'
import type { Suite } from './suite.ts'

/** The outcome of a run of the suite, for all its reports. */
export type Conformance = {
  server: string
  suite: Suite
  specVersion: string | undefined
  between: Between
  baseline: readonly string[] | undefined
  scenarios: readonly Scenario[]
  /** Baseline entries that no longer apply, and entries that match nothing that was run. */
  stale: readonly string[]
  strange: readonly string[]
  /** Sentences that say why the suite's result is incomplete. */
  problems: readonly string[]
  verdict: 'passed' | 'failed' | null
  exitCode: number
  /** Changes since the last complete run; undefined if none with these scenarios is stored. */
  since: ({ at: number; version: string } & Changes) | undefined
}

/** Counts the checks of a scenario with this status. */
export function countOf(checks: readonly Check[], status: string): number {
  return checks.filter(each => each.status === status).length
}

/** Columns for the names of scenarios; a longer name is not cut. */
const NAME_COLUMNS = 32

/** Returns `✓ tools-list 1 passed 0.1s` for a finished scenario. */
export function scenarioLine(scenario: Scenario, theme: Theme): string {
  const { name, state, isExpected, durationMs, checks, why } = scenario
  const { ok, error, warn, pending } = theme.symbols
  const marks: Record<Scenario['state'], [Tone, string]> = {
    passed: ['ok', ok],
    failed: isExpected ? ['warn', warn] : ['error', error],
    skipped: ['muted', pending],
    'not applicable': ['muted', pending],
    unjudged: ['warn', warn],
  }
  const counts = [
    [countOf(checks, 'SUCCESS'), 'passed'],
    [countOf(checks, 'FAILURE'), 'failed'],
    [countOf(checks, 'WARNING'), 'warned'],
  ] as const
  const words = {
    passed: '',
    failed: isExpected ? 'as expected' : '',
    skipped: 'which decides nothing',
    'not applicable': `not judged: ${why}`,
    unjudged: `not judged: ${why}`,
  }[state]
  const counted = why === undefined ? counts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])) : []
  const text = `${[counted.join(', '), words].filter(Boolean).join(', ')}  ${formatDuration(durationMs)}`
  return behind(`${theme.paint(...marks[state])} ${clean(name).padEnd(NAME_COLUMNS)} `, text, process.stdout)
}

/** Lists each failed check of scenarios that failed unexpectedly: what it tests, what was found, what requires it. */
export function failureLines({ scenarios, baseline }: Conformance, theme: Theme): string[] {
  return scenarios.flatMap(({ name, state, isExpected, checks }) => {
    if (state !== 'failed' || isExpected) return []
    const lines = failingOf(checks, baseline).flatMap(({ id, description, found, requirements }) => [
      `  ${id}: ${description}`,
      ...(found === undefined ? [] : [`    found: ${found}`]),
      ...requirements.map(each => `    required by: ${each}`),
    ])
    const heading = `${theme.paint('error', theme.symbols.error)} ${clean(name)}`
    return ['', heading, ...lines.map(line => laidOut(clean(line), process.stdout))]
  })
}

/** Describes what changed since the last complete run in one line; returns no line if that is unknown. */
export function sinceLines({ since, suite }: Conformance): string[] {
  if (!since) return []
  const { newlyFailing, fixed, notJudged } = since
  const version = since.version === suite.version ? '' : `, by suite ${since.version}`
  const changes = [
    ...(newlyFailing.length > 0 ? [`newly failing ${newlyFailing.join(', ')}`] : []),
    ...(fixed.length > 0 ? [`fixed ${fixed.join(', ')}`] : []),
    ...(notJudged.length > 0 ? [`no longer judged ${notJudged.join(', ')}`] : []),
  ]
  const text = changes.length > 0 ? changes.join('; ') : 'nothing changed'
  return [
    '',
    laidOut(clean(`Since the last run (${formatAgo(since.at, Date.now())}${version}): ${text}.`), process.stdout),
  ]
}

/** Returns the verdict in a sentence. */
export function verdictLine({ scenarios, stale, verdict, server }: Conformance): string {
  const failed = scenarios.filter(({ state }) => state === 'failed')
  const unexpected = failed.filter(({ isExpected }) => !isExpected).length
  const expected = failed.length - unexpected
  const passed = scenarios.filter(({ state }) => state === 'passed').length
  const parts = [
    `${passed} of ${plural(scenarios.length, 'scenario')} passed`,
    ...(unexpected > 0 ? [`${unexpected} failed`] : []),
    ...(expected > 0 ? [`${expected} failed as expected`] : []),
  ]
  const removed = stale.length > 0 ? ` No longer true in the baseline: ${stale.join(', ')}.` : ''
  return laidOut(clean(`${server}: ${verdict ?? 'not judged'}. ${parts.join(', ')}.${removed}`), process.stdout)
}

/** Returns the run as one object. */
export function jsonOf(result: Conformance): object {
  const { suite, between, baseline, scenarios, specVersion = null, since = null, ...rest } = result
  const { version, installedIn = null } = suite
  return {
    ...rest,
    suite: { version, installedIn },
    specVersion,
    bridge: between ?? null,
    expected: baseline ?? null,
    since,
    scenarios: scenarios.map(({ why = null, checks, ...scenario }) => ({
      ...scenario,
      why,
      checks: checks.map(({ found = null, ...check }) => ({ ...check, found })),
    })),
  }
}
