import type * as z from 'zod'
import type {
  EvalRunAnalysisRequested,
  EvalRunJudgeRequest,
  EvalRunJudges,
} from '../../../api/contract/judge-shapes.ts'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import { ServiceError } from '../../core/errors.ts'
import { messageOf } from '../../core/one-line.ts'
import type { ServiceContext } from '../../core/context.ts'
import { requireModel } from '../../models/ask.ts'
import type { RunRow } from '../rows.ts'
import type { Store } from '../../core/database/store.ts'
import { DEFAULT_JUDGE_THRESHOLD } from '../../suites/records.ts'
import { invalidField } from '../../core/validation.ts'
import { gradeAnswers, type JudgedAnswer } from './goal-completion.ts'
import { summaryOf, toGoalCompletion, type JudgeDocument } from './judge-state.ts'

type Requested = z.infer<typeof EvalRunAnalysisRequested>
type JudgeRequest = z.output<typeof EvalRunJudgeRequest>

const KIND = 'goalCompletion'
const JOB = 'judge'

/** Grades finished runs with a model; grades are advisory and never change a run's own result. */
export type Judging = {
  /**
   * Schedules the grading of a finished run; one that is under way answers a repeat and costs nothing more.
   * @throws ServiceError `VALIDATION_ERROR` for a run in flight and for a judge that was off, `CONFLICT` when there are
   *   grades and `force` is not set, `FEATURE_NOT_SUPPORTED` without a model
   */
  request(run: RunRow, body: JudgeRequest): Requested
  judgesOf(runId: string): EvalRunJudges
}

export function createJudging(context: ServiceContext): Judging {
  const { store, jobs, runs } = context
  const access = { configured: context.models, keys: {} }

  const fail = (runId: string, errorCode: string, summary: string) => {
    const analysis = store.runAnalyses.get<JudgeDocument>(runId, KIND)
    if (!analysis) return
    const generatedAt = context.now()
    store.runAnalyses.end(runId, KIND, 'failed', { ...analysis.document, errorCode, summary, generatedAt })
  }

  /** Runs inside the caller's transaction. */
  const begin = (run: RunRow, document: JudgeDocument) => {
    store.runAnalyses.begin(run.id, KIND, document)
    jobs.start(JOB, run.id, async signal => {
      try {
        const answers = store.read(() => answersOf(store, run.id))
        const { verdicts, modelUsed } = await gradeAnswers(access, document.model, answers, signal)
        const summary = summaryOf(verdicts, document.threshold)
        const graded = { ...document, verdicts, modelUsed, summary, generatedAt: context.now() }
        store.write(() => store.runAnalyses.end(run.id, KIND, 'completed', graded))
      } catch (error) {
        if (signal.aborted || !(error instanceof ServiceError)) throw error
        store.write(() => fail(run.id, error.code, messageOf(error)))
      }
    })
  }

  jobs.define(JOB, (runId, why) => fail(runId, 'INTERNAL_ERROR', why))
  runs.onCompleted(run => {
    const { judge } = run.plan
    if (!judge?.enabled || !judge.autoRun) return
    const document = newDocument(judge)
    try {
      requireModel(access, { model: document.model })
      begin(run, document)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // Nobody waits for an answer here, so the run itself records why it has no grades.
      store.runAnalyses.begin(run.id, KIND, document)
      fail(run.id, error.code, messageOf(error))
    }
  })

  return {
    request(run, body = {}) {
      const pinned = run.plan.judge ?? {}
      const document = newDocument({ model: body.model ?? pinned.model, threshold: body.threshold ?? pinned.threshold })
      jobs.settleAbandoned()
      return store.write(() => {
        const requested = { runId: run.id, projectId: run.projectId, status: 'pending' }
        requireEnded(run)
        const earlier = store.runAnalyses.get<JudgeDocument>(run.id, KIND)
        // A run that was graded once was switched on then, for itself alone.
        if (!(body.enable ?? (pinned.enabled || earlier)))
          throw invalidField('enable', 'the judge was off when the run was made; send true to grade it all the same')
        if (jobs.isUnderWay(JOB, run.id)) return requested
        if (earlier?.status === 'completed' && !body.force)
          throw new ServiceError(
            'CONFLICT',
            'The run was graded already: send force: true to grade it again, which spends again.',
          )
        requireModel(access, { model: document.model })
        begin(run, document)
        return requested
      })
    },
    judgesOf: runId => ({ goalCompletion: toGoalCompletion(store.runAnalyses.get(runId, KIND)) }),
  }
}

/** @throws ServiceError `VALIDATION_ERROR` while the run is in flight */
export function requireEnded({ id, status }: RunRow): void {
  if (!isTerminalRunStatus(status)) throw invalidField('runId', `the run ${id} has not ended yet (${status})`)
}

function newDocument(settings: { model?: string | undefined; threshold?: number | undefined }): JudgeDocument {
  const { model, threshold = DEFAULT_JUDGE_THRESHOLD } = settings
  return {
    ...(model !== undefined && { model }),
    threshold,
    errorCode: null,
    summary: null,
    generatedAt: null,
    modelUsed: null,
    verdicts: [],
  }
}

/** The final answers of trials that were judged by themselves, of cases that say what they expect. */
function answersOf(store: Store, runId: string): JudgedAnswer[] {
  const cases = store.runs.cases(runId)
  return store.trials.listWithOutcomes(runId).flatMap(({ id, iterationNumber, casePosition, outcome }) => {
    const snapshot = cases[casePosition]
    if (outcome?.status !== 'completed' || snapshot?.expectedOutput === undefined) return []
    const { caseKey, title, steps, expectedOutput } = snapshot
    return {
      iterationId: id,
      iterationNumber,
      case: { caseKey, title, steps, expectedOutput },
      answer: outcome.transcript.finalText,
    }
  })
}
