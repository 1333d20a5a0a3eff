import { BOUNDS } from '../../lib/bounds.ts'
import { cleanStart } from '../../lib/redaction/redaction.ts'

/** A check of the official suite in its own format; texts are from the suite and the server. */
export type Check = {
  id: string
  status: string
  description: string
  /** The suite's error message; undefined if there is none. */
  found: string | undefined
  /** Addresses of the specifications that require the check, or their names. */
  requirements: readonly string[]
}

/**
 * The state of a scenario: `skipped` if no check decided, `not applicable` if its checks would judge the bridge instead
 * of the server, `unjudged` if it is unknown.
 */
export type ScenarioState = 'passed' | 'failed' | 'skipped' | 'not applicable' | 'unjudged'

export type Scenario = {
  name: string
  state: ScenarioState
  /** Whether the baseline expects this failure. */
  isExpected: boolean
  durationMs: number
  checks: readonly Check[]
  /** Why the scenario is not judged; undefined if it is. */
  why: string | undefined
}

/** A scenario that ran. `checks` is undefined if the suite wrote no readable ones. */
export type RanScenario = { name: string; durationMs: number; checks: readonly Check[] | undefined; why?: string }

/** All statuses that the suite is known to write; an unknown one is not a pass. */
const STATUSES = ['SUCCESS', 'FAILURE', 'WARNING', 'INFO', 'SKIPPED']

/** Scenarios that check HTTP, which the bridge provides for a stdio server (suites 0.1.16, 0.2.0-alpha). */
const OF_HTTP = [
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'server-session-lifecycle',
  'http-header-validation',
  'http-custom-header-server-validation',
]

/** Scenarios about what the bridge itself does for an HTTP server: it refuses foreign hosts. */
const OF_FORWARDING = ['dns-rebinding-protection']

/** What is between the suite and the server: a bridge to a program, a bridge that adds headers, or nothing. */
export type Between = 'program' | 'headers' | undefined

const MOST_CHECKS = BOUNDS.conformanceChecks.most
const MOST_TEXT = BOUNDS.conformanceText.most

/**
 * Parses the checks of a result file; undefined for other files, and for one with too many checks.
 * @param cleaned removes secrets from a text
 */
export function readChecks(text: string, cleaned: (text: string) => string): Check[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(value)) return undefined
  const shown = (part: unknown): string => (typeof part === 'string' ? cleanStart(part, MOST_TEXT, cleaned) : '')
  const checks = value.slice(0, MOST_CHECKS).map((each: unknown): Check => {
    const { id, status, description, errorMessage, specReferences } = Object(each) as Record<string, unknown>
    const references = Array.isArray(specReferences) ? specReferences.slice(0, MOST_TEXT / 100) : []
    return {
      id: shown(id),
      status: shown(status),
      description: shown(description),
      found: errorMessage === undefined ? undefined : shown(errorMessage),
      requirements: references.flatMap((reference: unknown) => {
        const { id: named, url } = Object(reference) as Record<string, unknown>
        return shown(url ?? named) || []
      }),
    }
  })
  // If checks were left out, one of those may have failed.
  return value.length > MOST_CHECKS ? undefined : checks
}

/**
 * Judges a scenario. With a baseline a warning counts as a failure, as in the suite.
 * @param baseline scenarios, and checks as `scenario:check`, that are expected to fail; undefined without one
 */
export function judge(
  { name, durationMs, checks, why }: RanScenario,
  between: Between,
  baseline: readonly string[] | undefined,
): Scenario {
  const base = { name, durationMs, checks: checks ?? [], isExpected: false, why: undefined }
  if ((between === 'program' ? OF_HTTP : between === 'headers' ? OF_FORWARDING : []).includes(name))
    return { ...base, state: 'not applicable', why: 'it judges HTTP, which mcpdeck speaks here in place of the server' }
  if (!checks || checks.length === 0)
    return { ...base, state: 'unjudged', why: why ?? 'the suite wrote no checks that can be read' }
  const failing = failingOf(checks, baseline)
  const isWhole = baseline?.includes(name) === true
  const isExpected = isWhole || failing.every(({ id }) => baseline?.includes(`${name}:${id}`) === true)
  const strange = checks.find(({ status }) => !STATUSES.includes(status))
  // Beside expected failures, an unknown status may mean a failure that is not expected.
  if (strange && (failing.length === 0 || (isExpected && !isWhole)))
    return { ...base, state: 'unjudged', why: `the check ${strange.id} has the unknown status "${strange.status}"` }
  if (failing.length > 0) return { ...base, state: 'failed', isExpected }
  return { ...base, state: checks.some(({ status }) => status === 'SUCCESS') ? 'passed' : 'skipped' }
}

export function failingOf(checks: readonly Check[], baseline: readonly string[] | undefined): Check[] {
  return checks.filter(({ status }) => status === 'FAILURE' || (baseline !== undefined && status === 'WARNING'))
}

/** Returns outdated baseline entries: a scenario or a check that ran and did not fail. */
export function staleEntries(scenarios: readonly Scenario[], baseline: readonly string[]): string[] {
  return baseline.filter(entry =>
    scenarios.some(({ name, state, checks }) => {
      if (state === 'unjudged' || state === 'not applicable') return false
      if (entry === name) return state !== 'failed'
      const named = checks.filter(({ id, status }) => entry === `${name}:${id}` && status !== 'SKIPPED')
      return named.length > 0 && failingOf(named, baseline).length === 0
    }),
  )
}

/**
 * Returns the baseline entries that match nothing that ran. For a scenario that was not judged every check is accepted.
 */
export function strangeEntries(scenarios: readonly Scenario[], baseline: readonly string[]): string[] {
  const isNamed = (entry: string) =>
    scenarios.some(
      ({ name, state, checks }) =>
        entry === name ||
        (state === 'unjudged' && entry.startsWith(`${name}:`)) ||
        checks.some(({ id }) => entry === `${name}:${id}`),
    )
  return baseline.filter(entry => !isNamed(entry))
}

/**
 * Returns the verdict on a server; null if it cannot be judged.
 * @param problems why the suite's own result does not cover everything that was requested
 */
export function verdictOf(
  scenarios: readonly Scenario[],
  stale: readonly string[],
  problems: readonly string[],
): 'passed' | 'failed' | null {
  if (stale.length > 0 || scenarios.some(({ state, isExpected }) => state === 'failed' && !isExpected)) return 'failed'
  if (problems.length > 0 || scenarios.some(({ state }) => state === 'unjudged')) return null
  return scenarios.some(({ state }) => state === 'passed' || state === 'failed') ? 'passed' : null
}

/**
 * Names of the scenarios that fail only in the second of two runs, that fail only in the first, and that were judged
 * only in the first.
 */
export type Changes = { newlyFailing: readonly string[]; fixed: readonly string[]; notJudged: readonly string[] }

type Judged = Pick<Scenario, 'name' | 'state'>

/** Returns the changes from one run to a later one; undefined if no scenario passed or failed in both. */
export function changesBetween(before: readonly Judged[], after: readonly Judged[]): Changes | undefined {
  const earlier = new Map(before.map(({ name, state }) => [name, state]))
  const isJudged = (state: ScenarioState | undefined) => state === 'passed' || state === 'failed'
  if (!after.some(({ name, state }) => isJudged(state) && isJudged(earlier.get(name)))) return undefined
  const namesOf = (was: ScenarioState, is: ScenarioState) =>
    after.filter(({ name, state }) => state === is && earlier.get(name) === was).map(({ name }) => name)
  const judged = new Set(after.flatMap(({ name, state }) => (isJudged(state) ? [name] : [])))
  const notJudged = before.flatMap(({ name, state }) => (isJudged(state) && !judged.has(name) ? [name] : []))
  return { newlyFailing: namesOf('passed', 'failed'), fixed: namesOf('failed', 'passed'), notJudged }
}
