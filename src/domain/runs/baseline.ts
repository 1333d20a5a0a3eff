import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { ComparedCase } from '../../api/contract/run-comparison.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalCase } from '../../api/contract/suites.ts'
import { plural } from '../../lib/format.ts'
import { defined } from '../../lib/json.ts'
import { changedCases, type CaseChange, type ChangedCase } from './changes.ts'
import { countAt, reportRun } from './suite-state.ts'
import { trialState } from './trials.ts'
import { failuresOf, isKnown, type Quarantine } from './quarantine.ts'
import { byCase, variantOfTrial } from './variants.ts'

/**
 * Identifies a result in a baseline by names, since ids differ between workspaces. `id` is the case's id in the suite's
 * file, and is present only if several cases have the same title.
 */
export type BaselineKey = {
  suite: string
  case: string
  id?: string
  environment?: string
  client?: string
  model?: string
  provider?: string
}

/**
 * A result in a baseline: a case in an environment, as a client, on a model. If only some of its trials failed, it
 * contains the number that passed, so that a lower number is noticed.
 */
export type BaselineLine = BaselineKey & {
  verdict: 'passed' | 'failed'
  passed?: number
  trials?: number
  quarantine?: Quarantine
}

/** A suite with all its cases, from which the cases of a run get their names. */
export type NamedSuite = { name: string; cases: readonly NamedCase[] }
export type NamedCase = Pick<EvalCase, 'id' | 'declaredId' | 'title'>

/** A finished run in the form that baselines need. */
export type BaselineRun = {
  suite: NamedSuite
  run: EvalRun
  trials: readonly EvalIteration[]
  /** Ids of the cases that were to run, if known. */
  asked?: readonly string[] | undefined
  /** All trials of the run and its reruns, if there were any; `trials` are then those that reruns settled. */
  attempts?: readonly EvalIteration[] | undefined
  /** Whether the launch replaced the models of the cases, which the run itself may not show. */
  replacesModels?: boolean | undefined
}

/** The fields of a key in the order in which lines are sorted and written. */
export const KEY_FIELDS = ['suite', 'case', 'id', 'environment', 'client', 'model', 'provider'] as const

/** Returns the key as text. Two lines with the same text are about the same result. */
export function keyText(key: BaselineKey): string {
  return JSON.stringify(KEY_FIELDS.map(field => key[field] ?? null))
}

/** Returns what distinguishes a case from others in its suite, as text. */
function caseText({ case: title, id }: BaselineKey): string {
  return JSON.stringify([title, id ?? null])
}

/** Returns lines in a fixed order that depends only on their keys. */
export function sortedLines(lines: readonly BaselineLine[]): BaselineLine[] {
  const order = (one: BaselineLine, other: BaselineLine): number => {
    const field = KEY_FIELDS.find(each => one[each] !== other[each])
    if (field === undefined) return 0
    const [left, right] = [one[field], other[field]]
    return left === undefined || (right !== undefined && left < right) ? -1 : 1
  }
  return lines.toSorted(order)
}

/**
 * Returns why a baseline cannot identify a case by its title or an id, as a sentence; undefined if it can. An id chosen
 * by the service differs in the next workspace.
 */
export function namelessTwin({ cases }: NamedSuite, { id, declaredId, title }: NamedCase): string | undefined {
  const twins = cases.filter(each => each.title === title)
  if (twins.length < 2 || (declaredId != null && declaredId !== id)) return undefined
  return `${twins.length} cases are called "${title}"; rename them, or give each an id in the file of the suite`
}

/** The result of a case; `outcome` is undefined if one of its trials was not graded. */
type Judged = {
  key: BaselineKey
  outcome: BaselineLine['verdict'] | undefined
  hasFailed: boolean
  passed: number
  trials: readonly EvalIteration[]
  /** Its trials that did not pass, in the run and its reruns. */
  failures: readonly EvalIteration[]
}

/** A run compared with a baseline: its own results, removed ones, and cases that were to run but have no trial. */
type Standing = { judged: readonly Judged[]; gone: readonly BaselineLine[]; missing: readonly string[] }

function placeOf({ environment, client }: EvalRun): Pick<BaselineKey, 'environment' | 'client'> {
  return defined({ environment: environment?.name ?? undefined, client: client?.name ?? undefined })
}

/** Returns which part of a run's place has no name; an id would differ in the next workspace. */
function namelessPlace({ environment, client }: EvalRun): string | undefined {
  if (environment && !environment.name) return 'the environment of the run has no name'
  return client && !client.name ? 'the client of the run has no name' : undefined
}

/**
 * Returns the result of each case of a run.
 * @returns a sentence if a baseline cannot tell its cases apart
 */
function judgedCases({ suite, run, trials, attempts = trials }: BaselineRun): Judged[] | string {
  const nameless = namelessPlace(run)
  if (nameless !== undefined) return nameless
  const known = new Map(suite.cases.map(each => [each.id, each]))
  const judged = new Map<string, Judged>()
  const failuresBy = Map.groupBy(
    attempts.filter(each => trialState(each) !== 'passed'),
    variantOfTrial,
  )
  for (const { key: variant, trials: own, graded } of byCase(trials)) {
    const [{ testCaseId, title: told, model, provider }] = own as [EvalIteration]
    const stored = known.get(testCaseId ?? '')
    const title = told ?? stored?.title
    if (title === undefined) return 'a trial does not say of which case it is'
    const twin = stored && namelessTwin(suite, { ...stored, title })
    if (twin !== undefined) return twin
    const hasTwin = suite.cases.some(each => each.title === title && each.id !== testCaseId)
    const id = hasTwin ? stored?.declaredId : undefined
    const named = defined({ id: id ?? undefined, model: model ?? undefined, provider: provider ?? undefined })
    const key: BaselineKey = { suite: suite.name, case: title, ...placeOf(run), ...named }
    if (judged.has(keyText(key))) return `several cases of the run are called "${title}"`
    const hasFailed = own.some(each => trialState(each) === 'failed')
    const outcome = graded < own.length ? undefined : hasFailed ? 'failed' : 'passed'
    const passed = own.filter(each => trialState(each) === 'passed').length
    const failures = failuresBy.get(variant) ?? []
    judged.set(keyText(key), { key, outcome, hasFailed, passed, trials: own, failures })
  }
  return [...judged.values()]
}

/** Returns names of cases that were to run but have no trial, and how many others the run selected without a trial. */
function missingCases({ suite, run, trials, asked = [] }: BaselineRun): { titles: string[]; others: number } {
  const seen = new Set(trials.map(({ testCaseId }) => testCaseId))
  const seenTitles = new Set(trials.flatMap(({ testCaseId, title }) => (testCaseId == null ? [title] : [])))
  const titleOf = new Map(suite.cases.map(({ id, title }) => [id, title]))
  const titles = asked.flatMap(id => {
    const title = titleOf.get(id) ?? id
    return seen.has(id) || seenTitles.has(title) ? [] : [title]
  })
  const { selected = 0 } = reportRun(run).coverage.cases ?? {}
  const ran = new Set(trials.map(({ testCaseId, title, id }) => testCaseId ?? title ?? id)).size
  return { titles, others: Math.max(0, selected - ran - titles.length) }
}

/**
 * Returns cases of the baseline that the suite still has but the run does not show, if the selected cases are unknown.
 * All their trials may be lost.
 */
function lostCases(
  lines: readonly BaselineLine[],
  { suite, run, asked = [] }: BaselineRun,
  judged: readonly Judged[],
): string[] {
  if (asked.length > 0 || countAt(run, 'selectedCaseCount') !== undefined) return []
  const place = placeOf(run)
  const ran = new Set(judged.map(({ key }) => caseText(key)))
  const titles = new Set(suite.cases.map(({ title }) => title))
  const ofRun = lines.filter(
    line => line.suite === suite.name && line.environment === place.environment && line.client === place.client,
  )
  const lost = ofRun.filter(line => titles.has(line.case) && !ran.has(caseText(line)))
  return [...new Set(lost.map(line => line.case))]
}

function standingOf(lines: readonly BaselineLine[], facts: BaselineRun): Standing | string {
  const { suite, run, trials, replacesModels = run.modelSource === 'override' } = facts
  const judged = judgedCases(facts)
  if (typeof judged === 'string') return judged
  const { titles, others } = missingCases(facts)
  const lost = lostCases(lines, facts, judged)
  const missing = [...titles, ...lost, ...(others > 0 ? [`${plural(others, 'case')} without a trial`] : [])]
  const { cases } = reportRun(run, { trials, caseCount: suite.cases.length }).coverage
  const isWhole = others === 0 && cases !== undefined && cases.selected >= cases.total
  const own = new Set(judged.map(({ key }) => keyText(key)))
  const ran = new Set(judged.map(({ key }) => caseText(key)))
  const models = new Set(judged.map(({ key }) => key.model))
  const place = placeOf(run)
  // The run says nothing about another environment, another client, or a model that this launch replaced.
  const isOfRun = (line: BaselineLine): boolean =>
    line.suite === suite.name &&
    line.environment === place.environment &&
    line.client === place.client &&
    (!replacesModels || line.model === undefined || models.has(line.model))
  const gone = lines.filter(
    line =>
      isOfRun(line) && !own.has(keyText(line)) && !titles.includes(line.case) && (isWhole || ran.has(caseText(line))),
  )
  return { judged, gone, missing }
}

const absent = { outcome: 'absent' } as const

/**
 * Compares a run with a baseline case by case, as services compare two runs, or says why they cannot be compared. A
 * case with an ungraded trial has failed if another trial failed and the case did not fail before; otherwise it has no
 * outcome.
 */
export function compareWithBaseline(lines: readonly BaselineLine[], facts: BaselineRun): ComparedCase[] | string {
  const standing = standingOf(lines, facts)
  if (typeof standing === 'string') return standing
  const { judged, gone, missing } = standing
  const before = new Map(lines.map(line => [keyText(line), line]))
  const nameOf = lineNames([...judged.map(({ key }) => key), ...gone])
  return [
    ...judged.map(({ key, outcome, hasFailed, passed, trials }): ComparedCase => {
      const line = before.get(keyText(key))
      const base = line?.verdict
      const after = outcome ?? (hasFailed && base !== 'failed' ? 'failed' : undefined)
      return {
        caseKey: key.id ?? key.case,
        title: nameOf(key),
        status:
          base === 'failed' && after === 'failed' && passed / trials.length < shareOf(line)
            ? 'regressed'
            : statusOf(base, after),
        base: base ? { outcome: base } : absent,
        compare: { outcome: after ?? 'absent', iterationIds: trials.map(({ id }) => id) },
      }
    }),
    ...missing.map(title => ({ caseKey: title, title, status: 'changed', base: absent, compare: absent })),
    ...gone.map(line => ({
      caseKey: line.id ?? line.case,
      title: nameOf(line),
      status: 'removed_case',
      base: { outcome: line.verdict },
      compare: absent,
    })),
  ]
}

/**
 * A case compared with a baseline. `quarantined` means that it did not pass, and the baseline accepts exactly its
 * failures for now; `quarantine` is present for a flaky case as well.
 */
export type BaselineCase = Omit<ChangedCase, 'change'> & {
  change: CaseChange | 'quarantined'
  /** The variant of its trials, and the quarantine that accepts all its failures. */
  accepted?: { variant: string; quarantine: Quarantine }
}

/** Returns each case of a run with its change since a baseline, or says why they cannot be compared. */
export function changesSinceBaseline(lines: readonly BaselineLine[], facts: BaselineRun): BaselineCase[] | string {
  const compared = compareWithBaseline(lines, facts)
  const judged = judgedCases(facts)
  if (typeof compared === 'string') return compared
  if (typeof judged === 'string') return judged
  const before = new Map(lines.map(line => [keyText(line), line]))
  const accepted = new Map(
    judged.flatMap(({ key, failures, trials: [first] }) => {
      const quarantine = before.get(keyText(key))?.quarantine
      if (!quarantine || !first || failures.length === 0 || !isKnown(quarantine, failures)) return []
      return [[first.id, { variant: variantOfTrial(first), quarantine }] as const]
    }),
  )
  return changedCases({ cases: compared }, facts.trials).map((changed, index): BaselineCase => {
    const found = accepted.get(compared[index]!.compare.iterationIds?.[0] ?? '')
    if (!found) return changed
    const isExcused = changed.change === 'new-failure' || changed.change === 'unknown'
    return { ...changed, accepted: found, ...(isExcused && { change: 'quarantined' as const }) }
  })
}

/** Returns the share of trials that passed in a failed case; 0 if none did. */
function shareOf({ passed = 0, trials = 0 }: Pick<BaselineLine, 'passed' | 'trials'> = {}): number {
  return trials > 0 ? passed / trials : 0
}

function statusOf(before: BaselineLine['verdict'] | undefined, after: BaselineLine['verdict'] | undefined) {
  if (before === undefined) return 'new_case'
  if (after === undefined) return 'changed'
  if (before === after) return before === 'passed' ? 'unchanged_passed' : 'unchanged_failed'
  return after === 'passed' ? 'fixed' : 'regressed'
}

/** Returns names of results: the case, with its id and model if these are needed. */
function lineNames(keys: readonly BaselineKey[]): (key: BaselineKey) => string {
  const caseOf = ({ case: title, id }: BaselineKey): string => (id === undefined ? title : `${title} (${id})`)
  const ofCase = Map.groupBy(keys, caseOf)
  return key => {
    const { model, provider } = key
    if ((ofCase.get(caseOf(key))?.length ?? 0) < 2 || model === undefined) return caseOf(key)
    return `${caseOf(key)} (${provider === undefined ? model : `${provider}/${model}`})`
  }
}

/**
 * Returns the lines of a baseline updated by some runs: their results replace earlier ones, removed cases are removed,
 * and others are kept. A sentence if a run is incomplete. Quarantines stay; with a reason, flaky cases get one.
 */
export function updatedLines(
  lines: readonly BaselineLine[],
  runs: readonly BaselineRun[],
  quarantined?: Pick<Quarantine, 'since' | 'reason'>,
): BaselineLine[] | string {
  const before = new Map(lines.map(line => [keyText(line), line]))
  const left = new Map(before)
  const fresh = new Map<string, BaselineLine>()
  for (const facts of runs) {
    const standing = standingOf(lines, facts)
    if (typeof standing === 'string') return standing
    const { judged, gone, missing } = standing
    if (judged.length === 0) return 'nothing was run'
    const ungraded = judged.filter(({ outcome }) => outcome === undefined).length + missing.length
    if (ungraded > 0) return `${plural(ungraded, 'case')} ${ungraded === 1 ? 'was' : 'were'} not graded whole`
    for (const line of gone) left.delete(keyText(line))
    for (const each of judged) {
      const { key } = each
      if (fresh.has(keyText(key))) return `several of the runs are of "${key.case}" in one environment, as one client`
      const line = updatedLine(before.get(keyText(key)), each, quarantined)
      if (typeof line === 'string') return line
      fresh.set(keyText(key), line)
    }
  }
  return sortedLines([...new Map([...left, ...fresh]).values()])
}

/** Returns the line of a case that was graded whole, or why it cannot be quarantined. */
function updatedLine(
  before: BaselineLine | undefined,
  { key, outcome = 'failed', passed, trials, failures }: Judged,
  quarantined: Pick<Quarantine, 'since' | 'reason'> | undefined,
): BaselineLine | string {
  const earlier = before?.quarantine
  const isAccepted = earlier !== undefined && isKnown(earlier, failures)
  // As a failed case, it would be allowed to fail in any way.
  if (before && isAccepted && outcome === 'failed') return before
  const partly = outcome === 'failed' && passed > 0 ? { passed, trials: trials.length } : {}
  const line = { ...key, verdict: outcome, ...partly }
  const isFlaky = outcome === 'passed' && failures.length > 0
  if (!quarantined || !isFlaky || isAccepted) return earlier ? { ...line, quarantine: earlier } : line
  const names = failures.map(failuresOf)
  if (names.some(each => each.length === 0))
    return `"${key.case}" cannot be quarantined, since a trial does not say how it failed`
  const all = [...new Set([...(earlier?.failures ?? []), ...names.flat()])].toSorted()
  return { ...line, quarantine: { ...quarantined, failures: all } }
}
