import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { latestTexts } from '../../lib/once-for.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { requireRow } from '../core/database/table.ts'
import type { ComparedRun } from '../evals/comparison.ts'
import { gradeOf, gradeSoFar } from './settlement.ts'
import type { RunCounts, RunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'

/** Number of latest runs in a suite's row of the list. Those of them that completed with a rate form its trend. */
const TREND_RUNS = 10

/** @throws ServiceError `NOT_FOUND` */
export function requireRun(store: Store, projectId: string, runId: string): RunRow {
  return requireRow(store.runs.get(projectId, runId), `run ${runId} in this project`)
}

/** Checks that a run exists, without reading it. @throws ServiceError `NOT_FOUND` */
export function requireRunId(store: Store, projectId: string, runId: string): void {
  requireRow(store.runs.has(projectId, runId) || undefined, `run ${runId} in this project`)
}

/** Converts a run to the answer. The grade of a run in progress covers its trials so far. */
export function toEvalRun(store: Store, run: RunRow): EvalRun {
  const { id, suiteId, number, status, result, source, createdAt } = run
  const inFlight = status === 'pending' || status === 'running'
  const { summary, decisionSummary } = inFlight ? gradeSoFar(store, run) : run
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
    ...(run.startedServers && { startedServers: run.startedServers }),
  }
}

/**
 * Returns the text of {@link toEvalRun}, cached for ended runs, which never change.
 * @param most characters of all cached texts
 */
export function createRunTexts(store: Store, most: number): (projectId: string, runId: string) => string {
  const kept = latestTexts(most)
  return (projectId, runId) => {
    const known = kept.get(runId)
    if (known !== undefined) {
      requireRunId(store, projectId, runId)
      return known
    }
    const run = requireRun(store, projectId, runId)
    const text = JSON.stringify(toEvalRun(store, run))
    // An older run is not cached, because its selected cases are counted again each time. An open transaction is not
    // cached, because its changes may be rolled back.
    const isFinal = isTerminalRunStatus(run.status) && run.plan.selection !== undefined
    if (isFinal && store.state() !== undefined) kept.add(runId, text)
    return text
  }
}

/** Converts a run for the list of suites, without its failures. */
function toRecentRun(store: Store, run: RunRow): EvalRun {
  const { decisionSummary, ...record } = toEvalRun(store, run)
  const { measurementUnit, decision, verdict, counts } = decisionSummary ?? {}
  return { ...record, decisionSummary: decisionSummary && { measurementUnit, decision, verdict, counts } }
}

/**
 * Returns the summary of a run. The contract allows only a number as the rate, so it is left out while nothing is
 * graded.
 */
function toSummary({ passRate, ...counts }: RunCounts): EvalRun['summary'] {
  return passRate === null ? counts : { ...counts, passRate }
}

/**
 * Returns a run with its failures after a cursor.
 * @throws ServiceError `VALIDATION_ERROR` for a cursor of another run
 */
export function withDiagnosticsAfter(store: Store, run: RunRow, cursor: string): EvalRun {
  const record = toEvalRun(store, run)
  const phase = isTerminalRunStatus(run.status) ? 'ended' : 'running'
  const { diagnostics } = gradeOf(store, run, phase, { cursor }).decisionSummary
  return { ...record, decisionSummary: record.decisionSummary && { ...record.decisionSummary, diagnostics } }
}

export function toComparedRun(store: Store, run: RunRow): ComparedRun {
  const cases = store.runs.cases(run.id)
  const trials = store.trials
    .judged(run.id)
    .map(({ id, casePosition, error, ...judged }) => ({
      ...judged,
      iterationId: id,
      variant: casePosition,
      ...(error !== null && { error }),
    }))
  const { id, number, result, createdAt, completedAt = null, summary = null } = run
  return { id, runNumber: number, result, createdAt, completedAt, summary, cases, trials }
}

/** Returns the figures about the runs of a suite for its row in the list. Rates are fractions. */
export function runsOfSuite(store: Store, { id, projectId }: SuiteRow) {
  const recent = store.runs.listBySuite(projectId, id, TREND_RUNS)
  const [latest] = recent
  const whole = store.runs.latestWhole(projectId, id)
  const judging = whole && !recent.some(run => run.id === whole.id) ? [whole] : []
  const { runs, passed, failed } = store.runs.figures(id)
  return {
    latestRun: latest
      ? {
          id: latest.id,
          status: latest.status,
          passRate: latest.summary?.passRate ?? null,
          passed: latest.summary?.passed ?? null,
          failed: latest.summary?.failed ?? null,
          createdAt: latest.createdAt,
        }
      : null,
    totals: { passed, failed, runs },
    recentRuns: [...recent, ...judging].map(run => toRecentRun(store, run)),
    passRateTrend: recent
      .flatMap(({ status, summary }) => {
        const rate = status === 'completed' ? summary?.passRate : undefined
        return rate == null ? [] : [rate]
      })
      .toReversed(),
  } satisfies Partial<EvalSuite>
}
