import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { amountOf } from './amount.ts'
import type { Setting } from './bases.ts'
import type { BaselineCase } from './baseline.ts'
import type { ChangedCase } from './changes.ts'
import type { EndedRun, FlakyCase } from './retries.ts'
import { decisionCounts } from './counts.ts'
import { distributionOf } from './distribution.ts'
import { isUngraded, judgesOf } from './judges.ts'
import { gradedParts, gradedLabel, type GradedPart } from './graded.ts'
import { formatCount, formatDuration, plural } from '../../lib/format.ts'
import { shareLabel } from './labels.ts'
import { outcomeOfRun } from './outcome.ts'
import { countAt } from './suite-state.ts'
import { classOfTrial, type TrialClass } from './trial-class.ts'
import { countTrials, passRate } from './trials.ts'

/**
 * A condition on a run in addition to its own verdict. Rates are fractions, times are milliseconds. Rates leave out
 * ungraded trials, so use `min-graded` with them: without it a run that graded almost nothing could pass.
 */
export type Gate =
  | { gate: 'min-graded'; wanted: number }
  | { gate: 'min-pass-rate'; wanted: number }
  | { gate: 'no-new-failures-against'; wanted: string }
  | { gate: 'baseline'; wanted: string }
  | { gate: 'update-baseline'; wanted: string }
  | { gate: 'max-duration'; wanted: number }
  | { gate: 'max-tokens'; wanted: number }
  | { gate: 'max-broken'; wanted: number }
  | { gate: 'max-flaky'; wanted: number }
  | { gate: 'min-judge'; wanted: number }
  | { gate: 'max-p95'; wanted: number }
  | { gate: 'max-latency'; wanted: number }

/**
 * `passed: null` means that the input of the gate is unknown. `actual` has the unit of `wanted`, or counts new
 * failures.
 */
export type GateResult = Gate & { actual: number | null; passed: boolean | null; says: string }

/** The input of gates. `changes` is a sentence if the runs could not be compared. */
export type GateFacts = {
  /** The run and its trials, settled by reruns if there were any. */
  run: EvalRun
  trials: readonly EvalIteration[]
  /** What reruns changed; absent without reruns. */
  retried?: RetriedFacts | undefined
  changes: readonly ChangedCase[] | string
  /** Undefined if nothing was compared. */
  base?: ComparedBase | undefined
  /** The run compared with the results in a file; a sentence if they could not be compared. */
  baseline?: readonly BaselineCase[] | string | undefined
  /** Number of results written to the file; a sentence if it was left unchanged. */
  written?: number | string | undefined
}

/** A run with reruns of its failed cases. */
export type RetriedFacts = {
  /** The run as it was before its reruns. */
  own: EndedRun
  flaky: readonly FlakyCase[]
  /** All trials of the run and its reruns; undefined if a rerun may have had others. */
  all: readonly EvalIteration[] | undefined
  /** Why a rerun says nothing; undefined if each ended and was read. */
  why: string | undefined
}

/** The run that another run is compared with. */
export type ComparedBase = {
  name: string
  passed: boolean
  /** Whether a person named this run instead of a choice such as `last`. */
  isNamed: boolean
  differs: readonly Setting[]
}

/** Judges the gates of a run; a gate with unknown input neither passes nor fails. */
export function judgeGates(gates: readonly Gate[], facts: GateFacts): GateResult[] {
  const floors = gates.flatMap(gate => (gate.gate === 'min-graded' ? [judgeGraded(gate, facts)] : []))
  const isEnough = floors.every(({ passed }) => passed === true)
  return gates.map(gate => judgeGate(gate, facts, isEnough))
}

/**
 * Judges one gate.
 * @param isEnough whether enough of the run was graded
 */
function judgeGate(gate: Gate, facts: GateFacts, isEnough: boolean): GateResult {
  const { run, trials } = facts.retried?.own ?? facts
  switch (gate.gate) {
    case 'min-graded':
      return judgeGraded(gate, facts)
    case 'min-pass-rate':
      return judgePassRate(gate, facts, isEnough)
    case 'no-new-failures-against':
      return judgeNewFailures(gate, facts)
    case 'baseline':
      return judgeBaseline(gate, facts)
    case 'update-baseline':
      return judgeWritten(gate, facts)
    case 'max-duration':
      return judgeMost(gate, durationOf(run), timeBeside, 'took')
    case 'max-tokens': {
      const all = facts.retried ? facts.retried.all : trials
      return judgeMost(gate, all?.length ? tokensOf(all) : undefined, count => plural(count, 'token'), 'used')
    }
    case 'max-broken':
      return judgeBroken(gate, trials)
    case 'max-flaky':
      return judgeFlaky(gate, facts)
    case 'min-judge':
      return judgeGrades(gate, { run, trials })
    case 'max-p95':
      return judgeP95(gate, trials)
    case 'max-latency':
      return judgeSlowest(gate, trials)
  }
}

/**
 * Judges the number of graded trials. Ungraded ones fail no run, so too few graded ones make the result unknown instead
 * of failed.
 */
function judgeGraded(gate: Extract<Gate, { gate: 'min-graded' }>, { run, trials }: GateFacts): GateResult {
  const most = `at least ${shareLabel(gate.wanted)} must be`
  const parts = gradedParts(run, countTrials(trials))
  const [least] = parts.toSorted((one, other) => shareOf(one) - shareOf(other))
  if (!least || least.total === 0) return { ...gate, actual: null, passed: null, says: `nothing was counted, ${most}` }
  const actual = shareOf(least)
  return { ...gate, actual, passed: actual >= gate.wanted ? true : null, says: `${gradedLabel(least)}, ${most}` }
}

function shareOf({ graded, total }: GradedPart): number {
  return total === 0 ? 0 : graded / total
}

/**
 * Judges the pass rate in the unit of the run's counts, or in trials if it reports none: a rate is never converted
 * (contract: "Decision summary"). If too little was graded, the result is known only if the rate could not be reached
 * with the rest either.
 */
function judgePassRate(
  gate: Extract<Gate, { gate: 'min-pass-rate' }>,
  facts: GateFacts,
  isEnough: boolean,
): GateResult {
  const { passed, failed, total, unit } = decisionCounts(facts.run) ?? { ...countTrials(facts.trials), unit: 'trials' }
  const actual = passRate({ passed, failed })
  const wanted = shareLabel(gate.wanted)
  if (actual === undefined)
    return { ...gate, actual: null, passed: null, says: `nothing was graded, at least ${wanted} must pass` }
  const isReached = actual >= gate.wanted
  const isLost = total !== undefined && total > 0 && (total - failed) / total < gate.wanted
  const says = `${shareLabel(actual)} of ${passed + failed} graded ${unit} passed, at least ${wanted} must`
  return { ...gate, actual, passed: isEnough ? isReached : isLost ? false : null, says }
}

function judgeNewFailures(
  gate: Extract<Gate, { gate: 'no-new-failures-against' | 'baseline' }>,
  { changes, base }: { changes: readonly (ChangedCase | BaselineCase)[] | string; base?: ComparedBase | undefined },
): GateResult {
  if (typeof changes === 'string') return { ...gate, actual: null, passed: null, says: changes }
  const failures = changes.filter(({ change }) => change === 'new-failure')
  if (changes.every(({ change }) => change === 'removed'))
    return { ...gate, actual: null, passed: null, says: 'no case was compared' }
  const ungraded = changes.filter(({ change }) => change === 'unknown').length
  const actual = failures.length
  if (actual > 0) {
    return { ...gate, actual, passed: false, says: `${plural(actual, 'new failure')}: ${namesOf(failures)}` }
  }
  if (ungraded > 0) {
    const says = `no new failure among the graded, but ${plural(ungraded, 'case')} could not be compared`
    return { ...gate, actual, passed: null, says }
  }
  const known = changes.filter(({ change }) => change === 'still-failing').length
  // Nobody accepted the failures of that run, so the same run again would pass.
  if (known > 0 && base && !base.passed && !base.isNamed) {
    const failed = `${plural(known, 'case')} failed in ${base.name} too, which did not pass`
    return { ...gate, actual, passed: null, says: `${failed}; name it as the base to accept that` }
  }
  const other = base && base.differs.length > 0 ? ` against ${base.name} of another ${base.differs.join(' and ')}` : ''
  return { ...gate, actual, passed: true, says: `no new failures${other}` }
}

function namesOf(cases: readonly { title: string }[]): string {
  const names = cases.slice(0, 5).map(({ title }) => title)
  return names.join(', ') + (cases.length > names.length ? ` and ${cases.length - names.length} more` : '')
}

/**
 * Judges a run by a baseline. If a case that passed in the file is no longer in the suite, the result is unknown:
 * otherwise a suite that lost its cases would pass. The same is true for a failed run without failed cases.
 */
function judgeBaseline(gate: Extract<Gate, { gate: 'baseline' }>, { run, baseline = UNREAD }: GateFacts): GateResult {
  const judged = judgeNewFailures(gate, { changes: baseline })
  if (judged.passed !== true || typeof baseline === 'string') return judged
  const lost = baseline.filter(({ change, before }) => change === 'removed' && before === 'passed')
  if (lost.length > 0) {
    const gone = `${plural(lost.length, 'case')} that passed there ${lost.length === 1 ? 'is' : 'are'} gone`
    return { ...judged, passed: null, says: `${gone}: ${namesOf(lost)}; --update-baseline accepts that` }
  }
  const known = baseline.filter(({ change }) => change === 'still-failing').length
  const quarantined = baseline.filter(({ change }) => change === 'quarantined').length
  if (known + quarantined === 0 && outcomeOfRun(run) === 'failed')
    return { ...judged, passed: null, says: 'the run failed, and none of its cases did' }
  const rest = [
    ...(known > 0 ? [`${plural(known, 'case')} still failing`] : []),
    ...(quarantined > 0 ? [`${plural(quarantined, 'case')} quarantined`] : []),
  ]
  return { ...judged, says: ['no new failures', ...rest].join(', ') }
}

const UNREAD = 'nothing was compared'

function judgeWritten(
  gate: Extract<Gate, { gate: 'update-baseline' }>,
  { written = 'the run was not read whole' }: GateFacts,
): GateResult {
  return typeof written === 'number'
    ? { ...gate, actual: written, passed: true, says: `written with ${plural(written, 'result')}` }
    : { ...gate, actual: null, passed: null, says: `left as it was: ${written}` }
}

/** Judges broken trials. A crash or a hang is not a verdict on a case, so only this gate can fail a run for it. */
function judgeBroken(gate: Extract<Gate, { gate: 'max-broken' }>, trials: readonly EvalIteration[]): GateResult {
  if (trials.length === 0) return { ...gate, actual: null, passed: null, says: 'no trial was executed' }
  const classes = trials.map(classOfTrial)
  const [brokeOff, timedOut] = [amongThem(classes, 'execution_failed'), amongThem(classes, 'timed_out')]
  const actual = brokeOff + timedOut
  const says = `${plural(brokeOff, 'trial')} broke off and ${timedOut} timed out, at most ${gate.wanted} allowed`
  return { ...gate, actual, passed: actual <= gate.wanted, says }
}

/**
 * Judges the number of flaky cases. Those whose failures the baseline quarantines are known, and do not count. A rerun
 * that says nothing may have found more.
 */
function judgeFlaky(gate: Extract<Gate, { gate: 'max-flaky' }>, { retried, baseline }: GateFacts): GateResult {
  const most = `at most ${gate.wanted} allowed`
  if (!retried) return { ...gate, actual: null, passed: null, says: `nothing is known of reruns, ${most}` }
  const compared = typeof baseline === 'object' ? baseline : []
  const known = new Set(compared.flatMap(({ accepted }) => accepted?.variant ?? []))
  const flaky = retried.flaky.filter(({ variant }) => !known.has(variant))
  const actual = flaky.length
  const others = retried.flaky.length - actual
  const beside = others > 0 ? ` beside ${others} quarantined` : ''
  const says = `${plural(actual, 'flaky case')}${beside}, ${most}${actual === 0 ? '' : `: ${namesOf(flaky)}`}`
  if (actual > gate.wanted || retried.why === undefined) return { ...gate, actual, passed: actual <= gate.wanted, says }
  return { ...gate, actual, passed: null, says: `${says}; a rerun does not count: ${retried.why}` }
}

/**
 * Judges the share of cases that reached the threshold of a judge, for the judge with the lowest one. A case without a
 * grade makes the result unknown, unless the others decide.
 */
function judgeGrades(gate: Extract<Gate, { gate: 'min-judge' }>, { run, trials }: EndedRun): GateResult {
  const most = `at least ${shareLabel(gate.wanted)} must`
  const withTrials = new Set(trials.map(({ testCaseId, title, id }) => testCaseId ?? title ?? id)).size
  const caseCount = Math.max(withTrials, countAt(run, 'selectedCaseCount') ?? 0)
  const asked = judgesOf(run.judges).filter(({ status }) => status != null)
  if (asked.length === 0 || caseCount === 0)
    return { ...gate, actual: null, passed: null, says: `no judge was asked, ${most} reach its threshold` }
  const results = asked.map(judge => {
    const graded = Map.groupBy(judge.status === 'completed' ? judge.cases : [], ({ caseKey }) => caseKey)
    const cases = [...graded.values()]
    const reached = cases.filter(grades => grades.every(({ passed }) => passed)).length
    const missed = cases.filter(grades => grades.some(each => !each.passed && !isUngraded(each))).length
    const total = Math.max(caseCount, cases.length)
    const ungraded = total - reached - missed
    const words = `${judge.name}: ${reached} of ${plural(total, 'case')} reached the threshold, ${most}`
    const isLost = (reached + ungraded) / total < gate.wanted
    const passed = isLost ? false : ungraded === 0 ? true : null
    return { actual: reached / total, passed, says: ungraded === 0 ? words : `${words}; ${ungraded} not graded` }
  })
  const byUrgency = [false, null, true] as const
  const [worst] = results.toSorted((one, other) => byUrgency.indexOf(one.passed) - byUrgency.indexOf(other.passed))
  return { ...gate, ...worst! }
}

/** Judges the time that at least 95% of the trials do not exceed. */
function judgeP95(gate: Extract<Gate, { gate: 'max-p95' }>, trials: readonly EvalIteration[]): GateResult {
  const { times, unmeasured, rest } = timesOf(trials)
  const { p95 } = distributionOf(times) ?? {}
  const most = `at most ${timeBeside(gate.wanted, p95)} allowed`
  if (p95 === undefined) return { ...gate, actual: null, passed: null, says: `no trial has a time, ${most}` }
  const slow = times.filter(time => time > gate.wanted).length
  const isLost = slow > trials.length - Math.ceil(0.95 * trials.length)
  const passed = isLost ? false : unmeasured === 0 ? p95 <= gate.wanted : null
  return {
    ...gate,
    actual: p95,
    passed,
    says: `95% of the trials took at most ${timeBeside(p95, gate.wanted)}, ${most}${rest}`,
  }
}

/** Judges the slowest trial. */
function judgeSlowest(gate: Extract<Gate, { gate: 'max-latency' }>, trials: readonly EvalIteration[]): GateResult {
  const { times, unmeasured, rest } = timesOf(trials)
  const actual = times.length === 0 ? undefined : Math.max(...times)
  const most = `at most ${timeBeside(gate.wanted, actual)} allowed`
  if (actual === undefined) return { ...gate, actual: null, passed: null, says: `no trial has a time, ${most}` }
  const slowest = trials.find(({ durationMs }) => amountOf(durationMs) === actual)
  const name = slowest?.title ?? slowest?.testCaseId ?? slowest?.id ?? ''
  const passed = actual > gate.wanted ? false : unmeasured === 0 ? true : null
  return { ...gate, actual, passed, says: `${name} took ${timeBeside(actual, gate.wanted)}, ${most}${rest}` }
}

function timesOf(trials: readonly EvalIteration[]): { times: number[]; unmeasured: number; rest: string } {
  const times = trials.flatMap(({ durationMs }) => amountOf(durationMs) ?? [])
  const unmeasured = trials.length - times.length
  return { times, unmeasured, rest: unmeasured === 0 ? '' : `; ${plural(unmeasured, 'trial')} without a time` }
}

/** Returns a time as everywhere else, but in milliseconds if it would read as another one that it is compared with. */
function timeBeside(ms: number, other: number | undefined): string {
  const words = formatDuration(ms)
  return other !== undefined && other !== ms && formatDuration(other) === words ? `${formatCount(ms)}ms` : words
}

function amongThem(classes: readonly TrialClass[], wanted: TrialClass): number {
  return classes.filter(each => each === wanted).length
}

function judgeMost(
  gate: Extract<Gate, { wanted: number }>,
  actual: number | undefined,
  words: (amount: number, other: number | undefined) => string,
  verb: string,
): GateResult {
  const most = `at most ${words(gate.wanted, actual)} allowed`
  if (actual === undefined)
    return { ...gate, actual: null, passed: null, says: `the service does not report it, ${most}` }
  return { ...gate, actual, passed: actual <= gate.wanted, says: `${verb} ${words(actual, gate.wanted)}, ${most}` }
}

/** Returns the milliseconds from the creation of a run to its end; undefined if either is unknown. */
export function durationOf({ createdAt, completedAt }: EvalRun): number | undefined {
  const [from, to] = [toEpochMs(createdAt), toEpochMs(completedAt)]
  return from === undefined || to === undefined ? undefined : to - from
}

/**
 * Returns the tokens of all trials. A trial without a model uses none. A trial with a model but no number makes the sum
 * unknown.
 */
export function tokensOf(trials: readonly EvalIteration[]): number | undefined {
  let sum = 0
  for (const { tokensUsed, model, startedAt } of trials) {
    const used = amountOf(tokensUsed)
    if (used === undefined && (tokensUsed != null || (model && startedAt != null))) return undefined
    sum += used ?? 0
  }
  return sum
}
