import { asksModel } from '../../api/contract/runs.ts'
import type { EvalIteration, EvalStepVerdict } from '../../api/contract/iterations.ts'
import { checksNothing } from '../../domain/suites/case-checks.ts'
import { defined } from '../../lib/json.ts'
import { expectedToolCalls } from './call-matching.ts'
import { evaluationConfig, scoresOf, scorersOf } from './scores.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { CaseSnapshot, StepVerdict, TrialOutcome } from './types.ts'

export type TrialRow = {
  id: string
  /** Number of the trial among those of its case, starting at 1. */
  iterationNumber: number
  case: CaseSnapshot
  /** The state of the trial while it has no outcome. */
  status: 'pending' | 'running' | 'cancelled'
  /** Epoch milliseconds; absent until the trial starts. */
  startedAt?: number
  outcome?: TrialOutcome
}

/**
 * Converts a trial to an EvalIteration, with fields beyond the contract: `trialClass` (which tells a timeout from a
 * broken evaluator), `ranAgainAfter`, and `checksNothing` if the case passes whatever is answered.
 */
export function toIteration(row: TrialRow): EvalIteration {
  const { outcome, case: snapshot } = row
  return {
    id: row.id,
    testCaseId: snapshot.caseId,
    title: snapshot.title,
    iterationNumber: row.iterationNumber,
    ...modelOf(snapshot),
    trialClass: classOfRow(row),
    scoreIntegrity: null,
    ...(outcome ? settledFields(snapshot, outcome) : openFields(row)),
  }
}

/** Returns the model of a case; null if no step prompts a model, even if the snapshot names one. */
function modelOf(snapshot: CaseSnapshot): Pick<EvalIteration, 'model' | 'provider'> {
  const { model = null, provider = null } = asksModel(snapshot) ? snapshot : {}
  return { model, provider }
}

type OutcomeField = 'status' | 'result' | 'startedAt' | 'durationMs' | 'tokensUsed' | 'usage' | 'error'
type CallField = 'actualToolCalls' | 'expectedToolCalls'
type OutcomeFields = Pick<EvalIteration, OutcomeField | CallField | 'scores' | 'evaluationConfig'>

function settledFields(snapshot: CaseSnapshot, outcome: TrialOutcome): OutcomeFields {
  const { status, result, startedAt, durationMs, transcript, error } = outcome
  return {
    status,
    result,
    startedAt,
    durationMs,
    tokensUsed: transcript.usage?.totalTokens ?? null,
    usage: transcript.usage ?? null,
    actualToolCalls: transcript.toolCalls,
    expectedToolCalls: outcome.expectedToolCalls,
    error: error ?? null,
    scores: scoresOf(snapshot, scorersOf(snapshot), outcome),
    evaluationConfig: evaluationConfig(snapshot),
    ...defined({ ranAgainAfter: outcome.ranAgainAfter }),
    ...(passesWhateverHappens(snapshot) && { checksNothing: true }),
  }
}

function passesWhateverHappens({ steps, isNegative, matchOptions, checks }: CaseSnapshot): boolean {
  return checksNothing(steps, { isNegative, hasMatchOptions: matchOptions !== undefined, checks: checks.length })
}

function openFields({ status, startedAt, case: snapshot }: TrialRow): OutcomeFields {
  return {
    status,
    result: null,
    startedAt: startedAt ?? null,
    durationMs: null,
    tokensUsed: null,
    usage: null,
    actualToolCalls: [],
    expectedToolCalls: expectedToolCalls(snapshot),
    error: null,
    scores: null,
    evaluationConfig: null,
  }
}

/**
 * Returns one row for each authored step, in order. If the trial has no outcome, they are pending, or skipped if it was
 * cancelled.
 */
export function toStepRows(row: TrialRow): EvalStepVerdict[] {
  const { outcome, case: snapshot } = row
  if (outcome) return outcome.steps.map(toStepRow)
  const status = row.status === 'cancelled' ? 'skipped' : 'pending'
  return snapshot.steps.map((step, stepIndex) => ({ stepId: step.id, stepIndex, kind: step.kind, status }))
}

/** Returns the class of a trial, even of one without an outcome. Grading and the selection of a rerun use it. */
export function classOfRow(row: Pick<TrialRow, 'status' | 'outcome'>): TrialClass {
  return row.outcome?.class ?? (row.status === 'cancelled' ? 'cancelled' : 'pending')
}

function toStepRow({ stepId, stepIndex, kind, status, reason, evidence }: StepVerdict): EvalStepVerdict {
  return { stepId, stepIndex, kind, status, reason: reason ?? null, ...(evidence && { evidence }) }
}
