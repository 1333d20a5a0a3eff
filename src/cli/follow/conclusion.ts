import { clean } from '../../tui/theme/text.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { countChanges, type ChangeCounts, type ChangedCase } from '../../domain/runs/changes.ts'
import type { BaselineReport } from '../../domain/runs/baseline-report.ts'
import type { ComparedBase, GateResult } from '../../domain/runs/gates.ts'
import { isVerdict, outcomeOfRun, whyUndecided, type RunOutcome } from '../../domain/runs/outcome.ts'
import { decisionCounts } from '../../domain/runs/counts.ts'
import { passedPart } from '../../domain/runs/graded.ts'
import { casesRunAgain, countTrials, passRate, uncheckedCases, type TrialCounts } from '../../domain/runs/trials.ts'
import { reasonOf } from '../../domain/runs/causes.ts'
import type { EndedRun, SettledRun } from '../../domain/runs/retries.ts'
import { plural } from '../../lib/format.ts'
import { EXIT } from '../process/exit-codes.ts'
import { errorLine, exitCodeOfError } from '../output/report-error.ts'
import { NoRun, type Followed } from './follow-run.ts'

/** The comparison of a run with an earlier one, case by case. */
export type Comparison = { baseRunId: string; base: ComparedBase; counts: ChangeCounts; cases: readonly ChangedCase[] }

/** The reason for the exit code. */
export type Because =
  | Exclude<RunOutcome, 'in-flight'>
  | 'gate'
  | 'gates_passed'
  | 'reruns_passed'
  | 'unknown_gate'
  | Exclude<Followed['kind'], 'ended'>

/** The final result of a followed run, as `--json` prints it. */
export type Conclusion = {
  /** The run as last read. */
  run: EvalRun | null
  /** The verdict of the run itself; null if it has none. */
  verdict: 'passed' | 'failed' | null
  counts: TrialCounts & { unit: 'trials' }
  /** Share of the graded trials that passed, from 0 to 1. */
  passRate: number | null
  /** Counts reported by the run, in its own unit; null if it reports none. */
  measured: { unit: string; total: number | null; passed: number; failed: number; undecided: number | null } | null
  /** Why a passed run does not cover everything; null if everything was graded and passed. */
  part: string | null
  /** Names of cases that passed without any check. */
  unchecked: readonly string[]
  /** Cases that passed in the run or a rerun of failed cases, and not in another of these. */
  flaky: readonly { title: string; runId: string; why: string | null }[]
  /** The reruns of failed cases, in order. `why` says why one does not count; null if it does. */
  reruns: readonly { runId: string | null; outcome: RunOutcome | null; why: string | null }[]
  /** Names of cases with a trial that ran again, since its server broke while several trials used it. */
  ranAgain: readonly string[]
  because: Because
  exitCode: number
  error: { code: string | null; status: number | null; message: string } | null
  gates: readonly GateResult[]
  comparison: Comparison | null
  /** The run compared with a baseline file; null if none was given, or it could not be compared. */
  baseline: BaselineReport | null
}

/** Why a rerun does not count that was still open when it was stopped. */
export const NOT_ENDED = 'it did not end'

/** A rerun of failed cases. */
export type RerunAttempt = {
  /** Null if the rerun was not launched, or it is unknown which run it is. */
  runId: string | null
  /** The rerun with its trials, if it ended and counts. */
  ended?: EndedRun
  /** Whether it may have executed trials. */
  mayHaveRun: boolean
  /** Why it does not count; null if it does. */
  why: string | null
}

/** The reruns of a run's failed cases, and the run with what they changed. */
export type Retried = { attempts: readonly RerunAttempt[]; settled: SettledRun }

export type Judgement = {
  gates: readonly GateResult[]
  /** Whether only the gates decide, not the run's own verdict. */
  gatesOnly: boolean
  comparison: Comparison | undefined
  baseline?: BaselineReport | undefined
  /** Absent if nothing was to be retried. */
  retried?: Retried | undefined
}

/** Concludes how a run ended. Network trouble never becomes a failed verdict. */
export function conclude(followed: Followed, judgement: Judgement): Conclusion {
  const { gates, comparison, baseline, retried } = judgement
  const { run, trials } = followed
  const outcome = followed.kind === 'ended' ? outcomeOfRun(followed.run) : undefined
  const counts = countTrials(trials)
  const measured = run && decisionCounts(run)
  return {
    run: run ?? null,
    verdict: outcome === 'passed' || outcome === 'failed' ? outcome : null,
    counts: { unit: 'trials', ...counts },
    passRate: passRate(counts) ?? null,
    measured: measured ? { ...measured, total: measured.total ?? null, undecided: measured.undecided ?? null } : null,
    part: (run && passedPart(run, trials)) ?? null,
    unchecked: uncheckedCases(retried?.settled.trials ?? trials),
    ...rerunFacts(retried),
    ranAgain: casesRunAgain(trials),
    ...decide(followed, outcome, judgement),
    error: 'error' in followed ? errorFacts(followed.error) : null,
    gates,
    comparison: comparison ?? null,
    baseline: baseline ?? null,
  }
}

function rerunFacts(retried: Retried | undefined): Pick<Conclusion, 'flaky' | 'reruns'> {
  if (!retried) return { flaky: [], reruns: [] }
  return {
    flaky: retried.settled.flaky.map(({ title, passedIn, failures: [failure] }) => {
      return { title, runId: passedIn.id, why: (failure && reasonOf(failure)) ?? null }
    }),
    reruns: retried.attempts.map(({ runId, ended, why }) => {
      return { runId, outcome: ended ? outcomeOfRun(ended.run) : null, why }
    }),
  }
}

type Decision = Pick<Conclusion, 'because' | 'exitCode'>

function decide(followed: Followed, own: RunOutcome | undefined, judgement: Judgement): Decision {
  if (followed.kind === 'interrupted') return { because: 'interrupted', exitCode: followed.exitCode }
  if (followed.kind !== 'ended') {
    const exitCode = 'error' in followed ? exitCodeOfError(followed.error) : EXIT.noVerdict
    return { because: followed.kind, exitCode }
  }
  const { retried } = judgement
  const outcome = own && retried ? outcomeOfRun(retried.settled.run) : own
  // A run that has ended has no state in flight.
  if (outcome === undefined || outcome === 'in-flight') return { because: 'undecided', exitCode: EXIT.noVerdict }
  const decision = decideEnded(outcome, judgement)
  return decision.because === 'passed' && outcome !== own ? { ...decision, because: 'reruns_passed' } : decision
}

function decideEnded(outcome: Exclude<RunOutcome, 'in-flight'>, { gates, gatesOnly }: Judgement): Decision {
  // A trial that was aborted or hung leaves a run without a verdict; only this gate turns that into a failure.
  if (outcome !== 'cancelled' && gates.some(({ gate, passed }) => gate === 'max-broken' && passed === false))
    return { because: 'gate', exitCode: EXIT.failedVerdict }
  const isMeasured = isVerdict(outcome) || (gatesOnly && (outcome === 'undecided' || outcome === 'inconclusive'))
  if (!isMeasured) return { because: outcome, exitCode: EXIT.noVerdict }
  // The baseline file says which failures are accepted; its gate does not pass if the run has any other failure.
  const isExcused = gatesOnly || gates.some(({ gate }) => gate === 'baseline')
  if (!isExcused && outcome === 'failed') return { because: 'failed', exitCode: EXIT.failedVerdict }
  if (gates.some(({ passed }) => passed === false)) return { because: 'gate', exitCode: EXIT.failedVerdict }
  if (gates.some(({ passed }) => passed === null)) return { because: 'unknown_gate', exitCode: EXIT.noVerdict }
  return { because: gatesOnly || outcome === 'failed' ? 'gates_passed' : 'passed', exitCode: EXIT.done }
}

/** Says what of a stopped run is still open, if anything: the run, or its last rerun. */
function openPart(reruns: Conclusion['reruns'], { run }: Followed, goesOn: boolean): string {
  const rerun = reruns.find(({ runId, why }) => runId !== null && why === NOT_ENDED)?.runId
  if (!rerun && (!run || isTerminalRunStatus(run.status))) return ''
  return `; ${rerun ? `its rerun ${clean(rerun)}` : 'the run'} ${goesOn ? 'continues' : 'ends with this process'}`
}

function whyOf({ run }: Followed, fallback: string): string {
  return (run && whyUndecided(run)) ?? fallback
}

/** Mentions the run's own verdict if the gates override it. */
function besideGates(verdict: Conclusion['verdict'], part: string | null): string {
  if (verdict === 'failed') return '; the run itself failed'
  if (verdict === null) return '; the run itself has no verdict'
  return part === null ? '' : `; the run itself passed, ${part}`
}

function errorFacts(error: unknown): Conclusion['error'] {
  if (error instanceof NoRun) return { code: error.code ?? null, status: null, message: error.message }
  if (!(error instanceof ApiError)) return { code: null, status: null, message: String(error) }
  return { code: error.code ?? null, status: error.status ?? null, message: error.message }
}

/** Returns the comparison in the form that the conclusion keeps. */
export function toComparison(baseRunId: string, cases: readonly ChangedCase[], base: ComparedBase): Comparison {
  return { baseRunId, base, counts: countChanges(cases), cases }
}

/**
 * Combines the exit codes of several runs. An interruption comes first, then a failed run, whatever the others did: a
 * build that tolerates a missing verdict must not tolerate a failure.
 */
export function worstExitCode(exitCodes: readonly number[]): number {
  const most = Math.max(EXIT.done, ...exitCodes)
  const isSignal = most > 128
  return !isSignal && exitCodes.includes(EXIT.failedVerdict) ? EXIT.failedVerdict : most
}

/** Says in one sentence what decided, or why a run has no verdict; `goesOn` if it continues without this process. */
export function sentenceOf(
  { because, part, verdict, flaky, reruns }: Pick<Conclusion, 'because' | 'part' | 'verdict' | 'flaky' | 'reruns'>,
  followed: Followed,
  goesOn: boolean,
): string {
  const rest = openPart(reruns, followed, goesOn)
  switch (because) {
    case 'passed':
      return `${['Passed', part].filter(Boolean).join(', ')}.`
    case 'reruns_passed':
      return `Passed after a rerun: ${plural(flaky.length, 'flaky case')}.`
    case 'gates_passed':
      return `The gates passed, and they decide${besideGates(verdict, part)}.`
    case 'failed':
      return 'Failed.'
    case 'gate':
      return 'A gate failed.'
    case 'unknown_gate':
      return 'A gate could not be judged.'
    case 'inconclusive':
      return `Inconclusive, the verdict was withheld: ${whyOf(followed, 'the service gives no reason.')}`
    case 'undecided':
      return `Undecided: ${whyOf(followed, 'the service gives no verdict.')}`
    case 'cancelled':
      return 'Cancelled, so there is no verdict.'
    case 'broken':
      return `Not executed: ${whyOf(followed, 'the run failed as a run.')}`
    case 'timed_out':
      return `No verdict within the time given${rest}.`
    case 'interrupted':
      return `Interrupted${rest}.`
    case 'unreachable':
    case 'refused':
      if (!('error' in followed)) return 'No verdict.'
      return followed.error instanceof NoRun ? followed.error.message : errorLine(followed.error)
  }
}
