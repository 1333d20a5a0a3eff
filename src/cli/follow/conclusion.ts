import { ApiError } from '../../api/client/errors/api-error.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { countChanges, type ChangeCounts, type ChangedCase } from '../../domain/runs/changes.ts'
import type { BaselineReport } from '../../domain/runs/baseline-report.ts'
import type { ComparedBase, GateResult } from '../../domain/runs/gates.ts'
import { isVerdict, outcomeOfRun, whyUndecided, type RunOutcome } from '../../domain/runs/outcome.ts'
import { decisionCounts } from '../../domain/runs/counts.ts'
import { passedPart } from '../../domain/runs/graded.ts'
import { casesRunAgain, countTrials, passRate, uncheckedCases, type TrialCounts } from '../../domain/runs/trials.ts'
import { EXIT } from '../process/exit-codes.ts'
import { errorLine, exitCodeOfError } from '../output/report-error.ts'
import { NoRun, type Followed } from './follow-run.ts'

/** A run beside an earlier one, case by case. */
export type Comparison = { baseRunId: string; base: ComparedBase; counts: ChangeCounts; cases: readonly ChangedCase[] }

/** What decided the exit code. */
export type Because =
  | Exclude<RunOutcome, 'in-flight'>
  | 'gate'
  | 'gates_passed'
  | 'unknown_gate'
  | Exclude<Followed['kind'], 'ended'>

/** The last word on a followed run, as `--json` prints it. */
export type Conclusion = {
  /** The last record that was read. */
  run: EvalRun | null
  /** The run's own; null while it has none. */
  verdict: 'passed' | 'failed' | null
  counts: TrialCounts & { unit: 'trials' }
  /** Of what was graded, from 0 to 1. */
  passRate: number | null
  /** What the run itself counted, in its own unit; null if it reports none. */
  measured: { unit: string; total: number | null; passed: number; failed: number; undecided: number | null } | null
  /** How far a run that passed does not speak for all of it; null if everything was graded and passed. */
  part: string | null
  /** Names of cases that passed though nothing checked them. */
  unchecked: readonly string[]
  /** Names of cases of which a trial was run again, since its server broke while several used it. */
  ranAgain: readonly string[]
  because: Because
  exitCode: number
  error: { code: string | null; status: number | null; message: string } | null
  gates: readonly GateResult[]
  comparison: Comparison | null
  /** The run beside a file of results; null if none was named, or it could not be compared. */
  baseline: BaselineReport | null
}

export type Judgement = {
  gates: readonly GateResult[]
  /** The gates decide and not the run's own verdict. */
  gatesOnly: boolean
  comparison: Comparison | undefined
  baseline?: BaselineReport | undefined
}

/** Draws the conclusion; no network trouble ever becomes a failed verdict. */
export function conclude(followed: Followed, { gates, gatesOnly, comparison, baseline }: Judgement): Conclusion {
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
    unchecked: uncheckedCases(trials),
    ranAgain: casesRunAgain(trials),
    ...decide(followed, outcome, gates, gatesOnly),
    error: 'error' in followed ? errorFacts(followed.error) : null,
    gates,
    comparison: comparison ?? null,
    baseline: baseline ?? null,
  }
}

type Decision = Pick<Conclusion, 'because' | 'exitCode'>

function decide(
  followed: Followed,
  outcome: RunOutcome | undefined,
  gates: readonly GateResult[],
  gatesOnly: boolean,
): Decision {
  if (followed.kind === 'interrupted') return { because: 'interrupted', exitCode: followed.exitCode }
  if (followed.kind !== 'ended') {
    const exitCode = 'error' in followed ? exitCodeOfError(followed.error) : EXIT.noVerdict
    return { because: followed.kind, exitCode }
  }
  // What ended has no state in flight.
  if (outcome === undefined || outcome === 'in-flight') return { because: 'undecided', exitCode: EXIT.noVerdict }
  // What broke off or hung leaves a run without a verdict, which this gate alone turns into a failure.
  if (outcome !== 'cancelled' && gates.some(({ gate, passed }) => gate === 'max-broken' && passed === false))
    return { because: 'gate', exitCode: EXIT.failedVerdict }
  const isMeasured = isVerdict(outcome) || (gatesOnly && (outcome === 'undecided' || outcome === 'inconclusive'))
  if (!isMeasured) return { because: outcome, exitCode: EXIT.noVerdict }
  // The file says which failures count, and its gate is not passed where a failure of the run is not in it.
  const isExcused = gatesOnly || gates.some(({ gate }) => gate === 'baseline')
  if (!isExcused && outcome === 'failed') return { because: 'failed', exitCode: EXIT.failedVerdict }
  if (gates.some(({ passed }) => passed === false)) return { because: 'gate', exitCode: EXIT.failedVerdict }
  if (gates.some(({ passed }) => passed === null)) return { because: 'unknown_gate', exitCode: EXIT.noVerdict }
  return { because: gatesOnly || outcome === 'failed' ? 'gates_passed' : 'passed', exitCode: EXIT.done }
}

function whyOf({ run }: Followed, fallback: string): string {
  return (run && whyUndecided(run)) ?? fallback
}

/** The run's own word where the gates go before it. */
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

/** The comparison as the conclusion keeps it. */
export function toComparison(baseRunId: string, cases: readonly ChangedCase[], base: ComparedBase): Comparison {
  return { baseRunId, base, counts: countChanges(cases), cases }
}

/**
 * The conclusion of several runs. A signal comes first; then one that failed decides, whatever the others became, since
 * a build that forgives a missing verdict must not forgive it.
 */
export function worstExitCode(exitCodes: readonly number[]): number {
  const most = Math.max(EXIT.done, ...exitCodes)
  const isSignal = most > 128
  return !isSignal && exitCodes.includes(EXIT.failedVerdict) ? EXIT.failedVerdict : most
}

/** What decided, or why a run has no verdict, in one sentence; `goesOn` = without this process too. */
export function sentenceOf(
  { because, part, verdict }: Pick<Conclusion, 'because' | 'part' | 'verdict'>,
  followed: Followed,
  goesOn: boolean,
): string {
  const rest = followed.run ? (goesOn ? '; the run goes on' : '; the run ends with this process') : ''
  switch (because) {
    case 'passed':
      return `${['Passed', part].filter(Boolean).join(', ')}.`
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
