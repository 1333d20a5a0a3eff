import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { digest } from '../core/canonical.ts'
import {
  pairSides,
  sidesOf,
  type ComparedCaseSide,
  type ComparedPair,
  type ComparedRun,
  numericDiff,
  type NumericDiff,
} from './compared-run.ts'
import { outcomeOfVariant } from './grading.ts'
import { scoreContract, scoreDeltas } from './score-comparison.ts'
import { evaluationConfigHash } from './scores.ts'
import type { CaseSnapshot } from './types.ts'

export type ComparisonRequest = {
  suite: { id: string; name: string }
  /** How the base was chosen. */
  policy: 'previous_completed' | 'run'
  base: ComparedRun
  compare: ComparedRun
}

/** Two runs of a suite, variant by variant in the order of `compare`, removed ones last (contract: EvalRunCompare). */
export function compareRuns({ suite, policy, base, compare }: ComparisonRequest): EvalRunCompare {
  const [before, after] = [sidesOf(base), sidesOf(compare)]
  return {
    suite,
    baseline: { policy, baseRunId: base.id },
    baseRun: runSide(base),
    compareRun: runSide(compare),
    passSummary: passSummary(base, compare),
    metrics: {
      wallDurationMs: numericDiff(wallDuration(base), wallDuration(compare)),
      totalTokens: numericDiff(totalTokens(base), totalTokens(compare)),
      // Nobody prices models here, so the cost is unknown and not zero.
      estimatedCostUsd: numericDiff(null, null),
    },
    scoreContract: scoreContract(before, after),
    cases: pairSides(before, after).map(compareCase),
  }
}

/**
 * Digest of what a case does: steps without their ids, expectations and model, but not how often nor how it is graded.
 */
export function caseConfigHash(snapshot: CaseSnapshot): string {
  const { isNegative, expectedOutput, model, provider } = snapshot
  const steps = snapshot.steps.map(({ id: _id, ...step }) => step)
  return digest({ steps, isNegative, expectedOutput, model, provider })
}

function compareCase({ base, compare }: ComparedPair): ComparedCase {
  const both = base && compare
  const { caseKey = '', title = '' } = (compare ?? base)?.snapshot ?? {}
  const configChanged = both ? caseConfigHash(base.snapshot) !== caseConfigHash(compare.snapshot) : false
  const evaluationConfigChanged = both
    ? evaluationConfigHash(base.scorers) !== evaluationConfigHash(compare.scorers)
    : false
  return {
    caseKey,
    title,
    status: statusOf(base, compare, configChanged),
    configChanged,
    evaluationConfigChanged,
    scoreDeltas: scoreDeltas(base, compare),
    base: caseSide(base),
    compare: caseSide(compare),
  }
}

/**
 * `changed` = on both sides, but no like with like: one side was never graded, or the outcome moved together with
 * the case's own definition, which is neither a regression nor a fix.
 */
function statusOf(
  base: ComparedCaseSide | undefined,
  compare: ComparedCaseSide | undefined,
  configChanged: boolean,
): ComparedCase['status'] {
  if (!base) return 'new_case'
  if (!compare) return 'removed_case'
  const [before, after] = [outcomeOfVariant(base.trials), outcomeOfVariant(compare.trials)]
  if (before === 'undecided' || after === 'undecided') return 'changed'
  if (before === after) return before === 'passed' ? 'unchanged_passed' : 'unchanged_failed'
  if (configChanged) return 'changed'
  return after === 'passed' ? 'fixed' : 'regressed'
}

function caseSide(side: ComparedCaseSide | undefined): ComparedCase['base'] {
  const trials = side?.trials ?? []
  const outcome = side ? outcomeOfVariant(trials) : 'undecided'
  const representative = trials.find(trial => trial.class === outcome) ?? trials[0]
  return {
    // The wire has no word for a case without a graded trial: no outcome is there to compare.
    outcome: outcome === 'undecided' ? 'absent' : outcome,
    iterationIds: trials.map(trial => trial.iterationId),
    representativeIterationId: representative?.iterationId ?? null,
    error: representative?.error ?? null,
  }
}

function runSide({ id, runNumber, result, createdAt, completedAt, summary }: ComparedRun): EvalRunCompare['baseRun'] {
  // The published shape takes a text here, and this is the contract's for a verdict that does not exist.
  return { id, runNumber, result: result ?? 'notEstablished', createdAt, completedAt, summary }
}

function passSummary(base: ComparedRun, compare: ComparedRun): Record<string, NumericDiff> {
  const diff = (pick: (summary: NonNullable<ComparedRun['summary']>) => number | null) =>
    numericDiff(base.summary && pick(base.summary), compare.summary && pick(compare.summary))
  return {
    passRatePercent: diff(({ passRate }) => (passRate === null ? null : passRate * 100)),
    total: diff(({ total }) => total),
    passed: diff(({ passed }) => passed),
    failed: diff(({ failed }) => failed),
  }
}

function wallDuration({ createdAt, completedAt }: ComparedRun): number | null {
  return completedAt === null ? null : completedAt - createdAt
}

function totalTokens({ trials }: ComparedRun): number | null {
  const used = trials.flatMap(trial => trial.usage?.totalTokens ?? [])
  return used.length === 0 ? null : used.reduce((sum, tokens) => sum + tokens, 0)
}
