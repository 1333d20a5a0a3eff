import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import type { ComparedRun } from '../evals/compared-run.ts'
import { gradeOf } from './settlement.ts'
import type { RunCounts, RunRow } from '../store/runs.ts'
import type { Store } from '../workspace/store.ts'

/** @throws ServiceError `NOT_FOUND` */
export function requireRun(store: Store, projectId: string, runId: string): RunRow {
  const run = store.runs.get(projectId, runId)
  if (!run) throw new ServiceError('NOT_FOUND', `There is no run ${runId} in this project.`)
  return run
}

/** A run as the service answers it; one in flight is graded as far as its trials go. */
export function toEvalRun(store: Store, run: RunRow): EvalRun {
  const { id, suiteId, number, status, result, source, createdAt } = run
  const inFlight = status === 'pending' || status === 'running'
  const { summary, decisionSummary } = inFlight ? gradeOf(store, run, 'running') : run
  return {
    id,
    suiteId,
    runNumber: number,
    status,
    result,
    summary: summary ? toSummary(summary) : null,
    source,
    notes: run.notes ?? null,
    createdAt,
    startedAt: run.startedAt ?? null,
    completedAt: run.completedAt ?? null,
    environment: run.plan.environment ?? null,
    ...(run.plan.client && { client: run.plan.client }),
    ...(run.modelSource && { modelSource: run.modelSource }),
    executionEngine: 'emulated',
    decisionSummary: decisionSummary ?? null,
    scoreIntegrity: run.scoreIntegrity ?? null,
    ...(run.plan.selection ?? store.runs.selection(run.id, suiteId)),
    ...(run.rerunOf !== undefined && { rerunOf: run.rerunOf }),
    ...(run.groupId !== undefined && { runGroupId: run.groupId }),
  }
}

/** A run as the list of suites states it: without what went wrong in it. */
export function toRecentRun(store: Store, run: RunRow): EvalRun {
  const { decisionSummary, ...record } = toEvalRun(store, run)
  const { measurementUnit, decision, verdict, counts } = decisionSummary ?? {}
  return { ...record, decisionSummary: decisionSummary && { measurementUnit, decision, verdict, counts } }
}

/** Before anything is graded there is no rate, which the contract has as a number only. */
function toSummary({ passRate, ...counts }: RunCounts): EvalRun['summary'] {
  return passRate === null ? counts : { ...counts, passRate }
}

/**
 * A run with the page of its diagnostics that a cursor asks for.
 * @throws ServiceError `VALIDATION_ERROR` on a cursor of another run
 */
export function withDiagnosticsAfter(store: Store, run: RunRow, cursor: string): EvalRun {
  const record = toEvalRun(store, run)
  const phase = isTerminalRunStatus(run.status) ? 'ended' : 'running'
  const { diagnostics } = gradeOf(store, run, phase, { cursor }).decisionSummary
  return { ...record, decisionSummary: record.decisionSummary && { ...record.decisionSummary, diagnostics } }
}

/** A run with everything a comparison reads. */
export function toComparedRun(store: Store, run: RunRow): ComparedRun {
  const cases = store.runs.cases(run.id)
  const trials = store.trials.listWithOutcomes(run.id).map(({ outcome, ...trial }) => ({
    iterationId: trial.id,
    variant: trial.casePosition,
    class: trial.class,
    ...(trial.error !== null && { error: trial.error }),
    steps: outcome?.steps ?? [],
    checks: outcome?.checks ?? [],
    usage: outcome?.transcript.usage,
  }))
  const { id, number, result, createdAt, completedAt = null, summary = null } = run
  return { id, runNumber: number, result, createdAt, completedAt, summary, cases, trials }
}
