import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { DecisionSummary, EvalRun } from '../../api/contract/runs.ts'
import { settingDifferences } from './bases.ts'
import { decisionCounts, reportedTrials } from './counts.ts'
import { outcomeOfRun } from './outcome.ts'
import { countAt } from './suite-state.ts'
import { countTrials, trialState } from './trials.ts'
import { byCase, variantNames } from './variants.ts'

/** An ended run with all its trials. */
export type EndedRun = { run: EvalRun; trials: readonly EvalIteration[] }

/** A case on one model that passed in its run or in a rerun of failed cases, and did not pass in another of them. */
export type FlakyCase = {
  variant: string
  title: string
  /** Its trials that did not pass, of the run and of all reruns. */
  failures: readonly EvalIteration[]
  /** The first run in which it passed. */
  passedIn: EvalRun
}

/**
 * A run after its reruns: the trials of a flaky case are those with which it passed, and the counts of the run include
 * them. Its verdict is "passed" only if the last rerun passed and no case is left that did not.
 */
export type SettledRun = EndedRun & { flaky: readonly FlakyCase[] }

/**
 * Settles a run by the reruns of its failed cases, in their order. A rerun counts for a case only if it repeated at
 * least as many trials and all of them passed: otherwise the case stays as it was.
 * @param asked ids of the cases that were to run, if known
 */
export function settleRun(own: EndedRun, reruns: readonly EndedRun[], asked: readonly string[] = []): SettledRun {
  const attempts = [own, ...reruns].map(({ run, trials }) => {
    return { run, byVariant: new Map(byCase(trials).map(each => [each.key, each.trials])) }
  })
  const nameOf = variantNames(own.trials)
  const flaky: FlakyCase[] = []
  const settled: EvalIteration[] = []
  const isLeft: boolean[] = []
  for (const { key, trials } of byCase(own.trials)) {
    const [first] = trials as [EvalIteration]
    const tries = attempts.flatMap(({ run, byVariant }) => {
      const same = byVariant.get(key)
      return same ? [{ run, trials: same }] : []
    })
    const failures = tries.flatMap(each => each.trials.filter(trial => !isPassed(trial)))
    const passed = isNamed(first)
      ? tries.find(each => each.trials.length >= trials.length && each.trials.every(isPassed))
      : undefined
    if (passed && failures.length > 0)
      flaky.push({ variant: key, title: nameOf(first), failures, passedIn: passed.run })
    settled.push(...(passed?.trials ?? trials))
    isLeft.push(!passed && failures.length > 0)
  }
  const summary = recounted(own, flaky)
  const isSettled =
    flaky.length > 0 &&
    !isLeft.includes(true) &&
    isCovered(own, asked) &&
    (summary === undefined ? decisionCounts(own.run) === undefined : isNothingLeft(summary)) &&
    reruns.at(-1) !== undefined &&
    outcomeOfRun(reruns.at(-1)!.run) === 'passed'
  const counted = summary ?? own.run.decisionSummary
  const decisionSummary = isSettled ? { ...counted, decision: 'passed', verdict: 'passed' } : counted
  const verdict = isSettled ? ({ status: 'completed', result: 'passed', summary: null } as const) : {}
  return { run: { ...own.run, decisionSummary, ...verdict }, trials: settled, flaky }
}

/** Returns why an ended rerun says nothing about the cases of the run that it repeats; undefined if it counts. */
export function whyNotCounted(source: EndedRun, rerun: EndedRun): string | undefined {
  if (outcomeOfRun(rerun.run) === 'cancelled') return 'it was cancelled'
  const differs = settingDifferences(source, rerun)
  return differs.length > 0 ? `it ran in another ${differs.join(' and ')}` : undefined
}

/**
 * Returns the flaky cases of a run by its reruns and theirs.
 * @param others ended runs of its suite in the order in which they were created
 * @param sourceOf returns the id of the run that a run repeats
 */
export function flakyCases(
  own: EndedRun,
  others: readonly EndedRun[],
  sourceOf: (run: EvalRun) => string | undefined,
): readonly FlakyCase[] {
  const family = new Map([[own.run.id, own]])
  for (const each of others) {
    const source = family.get(sourceOf(each.run) ?? '')
    if (source && whyNotCounted(source, each) === undefined) family.set(each.run.id, each)
  }
  const [, ...reruns] = family.values()
  return reruns.length === 0 ? [] : settleRun(own, reruns).flaky
}

function isPassed(trial: EvalIteration): boolean {
  return trialState(trial) === 'passed'
}

/** Whether a trial says of which case it is. Without that, trials of two runs cannot be the same case's. */
function isNamed({ testCaseId, title }: EvalIteration): boolean {
  return (testCaseId ?? title ?? '') !== ''
}

/** Whether every case that was to run has a trial. */
function isCovered({ run, trials }: EndedRun, asked: readonly string[]): boolean {
  const ids = new Set(trials.map(({ testCaseId, title }) => testCaseId ?? title))
  const hasOnlyTitles = trials.some(({ testCaseId }) => testCaseId == null)
  const isAsked = hasOnlyTitles ? ids.size >= new Set(asked).size : asked.every(id => ids.has(id))
  return isAsked && ids.size >= (countAt(run, 'selectedCaseCount') ?? 0)
}

/**
 * Returns the decision of a run with its counts as if flaky cases had passed, in the unit that the run counts in.
 * Undefined for counts in another unit than trials and case executions, and for counts that do not fit the trials.
 */
function recounted({ run, trials }: EndedRun, flaky: readonly FlakyCase[]): DecisionSummary | undefined {
  const counts = decisionCounts(run)
  const isWhole = (reportedTrials(run)?.total ?? 0) <= trials.length
  if (flaky.length === 0 || !counts || !UNITS.has(counts.unit) || !isWhole) return undefined
  const isFlaky = new Set(flaky.map(({ variant }) => variant))
  const after = { passed: counts.passed, failed: counts.failed, undecided: counts.undecided }
  const move = (from: 'failed' | 'undecided', count: number): void => {
    after.passed += count
    const left = after[from]
    if (left !== undefined) after[from] = left - count
  }
  for (const { key, trials: own } of byCase(trials)) {
    if (!isFlaky.has(key)) continue
    const { total, passed, failed } = countTrials(own)
    if (counts.unit === 'trials') {
      move('failed', failed)
      move('undecided', total - passed - failed)
    } else if (failed > 0) move('failed', 1)
    else if (passed === 0) move('undecided', 1)
  }
  if (after.failed < 0 || (after.undecided ?? 0) < 0) return undefined
  // Counts by class would still count the failed trials.
  const { trials: _classes, ...others } = run.decisionSummary?.counts ?? {}
  return { ...run.decisionSummary, counts: { ...others, ...after } }
}

const UNITS: ReadonlySet<string> = new Set(['trials', 'case executions'])

/** Whether the run itself counts nothing that did not pass, as far as it counts. */
function isNothingLeft(decisionSummary: DecisionSummary): boolean {
  const counts = decisionCounts({ decisionSummary })
  if (!counts) return true
  const { passed, failed, undecided = 0, total = passed } = counts
  return failed === 0 && undecided === 0 && passed >= total
}
