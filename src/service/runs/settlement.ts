import { fillPath } from '../../api/contract/endpoint.ts'
import { onceFor } from '../../lib/once-for.ts'
import { runs as runOperations } from '../../api/contract/runs.ts'
import type { DiagnosticsPage } from '../evals/diagnostics.ts'
import { expectedToolCalls } from '../evals/call-matching.ts'
import { gradeRun, type RunGrade } from '../evals/grading.ts'
import { integrityOfAll } from '../evals/scores.ts'
import type { TrialOutcome } from '../evals/types.ts'
import type { RunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { whileUnchanged } from '../../lib/sqlite.ts'

export function gradeOf(
  store: Pick<Store, 'trials'>,
  run: RunRow,
  phase: 'running' | 'cancelled' | 'ended',
  page?: DiagnosticsPage,
): RunGrade {
  const trials = store.trials.graded(run.id)
  const runPath = fillPath(runOperations.get.path, { projectId: run.projectId, runId: run.id })
  return gradeRun({ trials, phase, threshold: run.plan.threshold, runPath, ...(page && { page }) })
}

const gradesOf = onceFor((store: Pick<Store, 'state'>) => whileUnchanged<string, RunGrade>(store))

/** Grades the trials of a run in progress. The grade is kept until the workspace changes, since every poll needs it. */
export function gradeSoFar(store: Pick<Store, 'trials' | 'state'>, run: RunRow): RunGrade {
  return gradesOf(store)(run.id, () => gradeOf(store, run, 'running'))
}

/** Why unfinished trials will never end. */
export type Unfinished = 'cancelled' | { executionFailed: string }

/**
 * Ends a run in progress with the usual grading, in the caller's transaction.
 * @returns whether the run was in progress and is now completed
 */
export function endRun(store: Store, run: RunRow, unfinished: Unfinished, now: number = Date.now()): boolean {
  const status = store.runs.status(run.id)
  if (status !== 'pending' && status !== 'running') return false
  if (unfinished === 'cancelled') store.trials.cancelUnfinished(run.id)
  else failUnfinished(store, run.id, unfinished.executionFailed)
  const grade = gradeOf(store, run, unfinished === 'cancelled' ? 'cancelled' : 'ended')
  const scoreIntegrity = integrityOfAll(store.trials.scoreIntegrities(run.id))
  const ended = store.runs.end(run.id, {
    ...(scoreIntegrity && { scoreIntegrity }),
    status: grade.status,
    result: grade.result,
    summary: grade.summary,
    decisionSummary: grade.decisionSummary,
    completedAt: now,
  })
  return ended && grade.status === 'completed'
}

function failUnfinished(store: Store, runId: string, error: string): void {
  const trials = store.trials.unfinished(runId)
  if (trials.length === 0) return
  const cases = store.runs
    .cases(runId)
    .map(snapshot => ({
      steps: snapshot.steps.map(({ id: stepId, kind }, stepIndex) => ({
        stepId,
        stepIndex,
        kind,
        status: 'skipped' as const,
        reason: error,
      })),
      expectedToolCalls: expectedToolCalls(snapshot),
    }))
  const now = Date.now()
  store.trials.endEach(
    trials.flatMap(({ id, casePosition, startedAt }) => {
      const ofCase = cases[casePosition]
      if (!ofCase) return []
      const outcome: TrialOutcome = {
        class: 'execution_failed',
        status: 'failed',
        result: null,
        error,
        ...ofCase,
        checks: [],
        transcript: { messages: [], toolCalls: [], finalText: '' },
        startedAt: startedAt ?? now,
        durationMs: startedAt === null ? 0 : now - startedAt,
      }
      return [{ id, outcome }]
    }),
  )
}
