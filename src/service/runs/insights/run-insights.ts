import type * as z from 'zod'
import type { ActionableFinding, InsightsEnvelope } from '../../../api/contract/insight-shapes.ts'
import type { EvalRunAnalysisRequested, EvalRunInsightsRequest } from '../../../api/contract/judge-shapes.ts'
import { ServiceError } from '../../core/errors.ts'
import { messageOf } from '../../core/one-line.ts'
import type { ServiceContext } from '../../core/context.ts'
import { requireEnded } from '../judging/judging.ts'
import type { JudgeDocument } from '../judging/judge-state.ts'
import { NO_MODEL_CONFIGURED, requireModel } from '../../models/ask.ts'
import type { RunRow } from '../rows.ts'
import type { Store } from '../../core/database/store.ts'
import { adviseOn, MAX_EVIDENCE, type ObservedFailure, CONFIDENT_COUNT, isPassing } from '../../insights/advice.ts'
import { failuresOfTrials, type ObservedTrial } from './observed.ts'

type Requested = z.infer<typeof EvalRunAnalysisRequested>

/** The part of an envelope that one generation makes; the rest follows from the run. */
type Document = Pick<InsightsEnvelope, 'summary' | 'findings' | 'coverage' | 'truncation'> & {
  error: { code: string; message: string } | null
  generatedAt: number | null
  updatedAt: number | null
}

const KIND = 'insights'
const JOB = 'run-insights'

/** Insights of finished eval runs: what was measured, with a model's advice on it. */
export type RunInsights = {
  /**
   * Schedules insights, which take a slice of the day's; those that are being made answer a repeat without another one.
   * @throws ServiceError `VALIDATION_ERROR` for a run in flight, `CONFLICT` when there are insights and `force` is not
   *   set, `FEATURE_NOT_SUPPORTED` without a model, `RATE_LIMITED`
   */
  request(run: RunRow, body: z.output<typeof EvalRunInsightsRequest>): Requested
  envelopeOf(runId: string): InsightsEnvelope
}

export function createRunInsights(context: ServiceContext): RunInsights {
  const { store, jobs, quotas, now } = context
  const access = { configured: context.models, keys: {} }

  const fail = (runId: string, code: string, message: string) =>
    store.runAnalyses.end(runId, KIND, 'failed', { ...emptyDocument(now()), error: { code, message } })

  const generate = async (run: RunRow, signal: AbortSignal) => {
    try {
      const { failures, coverage } = store.read(() => observe(store, run))
      const what = `run #${run.number} of the suite “${run.suiteName}”`
      const { summary, findings, omitted } = await adviseOn(access, { what, failures }, signal)
      const time = now()
      const document: Document = {
        summary,
        findings,
        coverage,
        truncation: truncationOf(omitted, omittedEvidence(failures, findings)),
        error: null,
        generatedAt: time,
        updatedAt: time,
      }
      store.write(() => store.runAnalyses.end(run.id, KIND, 'completed', document))
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError)) throw error
      store.write(() => fail(run.id, error.code, messageOf(error)))
    }
  }

  jobs.define(JOB, (runId, why) => void fail(runId, 'INTERNAL_ERROR', why))

  return {
    request(run, { force = false } = {}) {
      jobs.settleAbandoned()
      return store.write(() => {
        const requested = { runId: run.id, projectId: run.projectId, status: 'pending' }
        requireEnded(run)
        if (jobs.isUnderWay(JOB, run.id)) return requested
        if (store.runAnalyses.get(run.id, KIND)?.status === 'completed' && !force)
          throw new ServiceError(
            'CONFLICT',
            'The run has insights already. Send force: true to generate them again, which counts as another request.',
          )
        requireModel(access)
        quotas.take(run.organizationId, 'insights')
        store.runAnalyses.begin(run.id, KIND, emptyDocument(now()))
        jobs.start(JOB, run.id, signal => generate(run, signal))
        return requested
      })
    },
    envelopeOf(runId) {
      const analysis = store.runAnalyses.get<Document>(runId, KIND)
      if (analysis) return toEnvelope(runId, analysis.status, analysis.document)
      const isPossible = context.models?.model !== undefined
      const envelope = toEnvelope(runId, isPossible ? 'not_requested' : 'not_available', emptyDocument(null))
      return isPossible ? envelope : { ...envelope, reasonCode: 'NO_MODEL', summary: NO_MODEL_CONFIGURED }
    },
  }
}

/** Everything about a run that is measured. Trials that were cancelled tell nothing. */
function observe(store: Store, run: RunRow): { failures: ObservedFailure[]; coverage: Document['coverage'] } {
  const cases = store.runs.cases(run.id)
  const rows = store.trials.listWithOutcomes(run.id)
  const trials = rows.flatMap(({ id, casePosition, outcome }): ObservedTrial[] => {
    const snapshot = cases[casePosition]
    if (!snapshot || !outcome || outcome.class === 'cancelled') return []
    return [{ iterationId: id, case: snapshot, outcome }]
  })
  const graded = trials.filter(({ outcome }) => outcome.status === 'completed')
  return {
    failures: failuresOfTrials(trials, belowThreshold(store, run.id)),
    coverage: {
      unit: 'iterations',
      analyzed: trials.length,
      total: rows.length,
      gradedCount: graded.length,
      truncated: trials.length < rows.length,
      lowConfidence: trials.length < CONFIDENT_COUNT,
    },
  }
}

/** Answers that the judge, where it was asked, graded below the threshold. */
function belowThreshold(store: Store, runId: string): JudgeDocument['verdicts'] {
  const judged = store.runAnalyses.get<JudgeDocument>(runId, 'goalCompletion')
  if (judged?.status !== 'completed') return []
  const { verdicts, threshold } = judged.document
  return verdicts.filter(({ score }) => score !== null && score < threshold)
}

/** Pieces of evidence of the shown findings that did not fit. */
function omittedEvidence(failures: readonly ObservedFailure[], findings: readonly ActionableFinding[]): number {
  const shown = new Set(findings.map(({ signalFingerprint }) => signalFingerprint))
  return failures
    .filter(({ fingerprint }) => shown.has(fingerprint))
    .reduce((sum, { evidence }) => sum + Math.max(0, evidence.length - MAX_EVIDENCE), 0)
}

function truncationOf(omittedFindings: number, evidence: number): NonNullable<Document['truncation']> {
  return {
    truncated: omittedFindings + evidence > 0,
    omittedFindings,
    omittedEvidence: evidence,
    contractTruncated: false,
  }
}

function emptyDocument(updatedAt: number | null): Document {
  return {
    summary: null,
    findings: [],
    coverage: { unit: 'iterations', analyzed: 0, total: 0, truncated: false, lowConfidence: true },
    truncation: truncationOf(0, 0),
    error: null,
    generatedAt: null,
    updatedAt,
  }
}

function toEnvelope(
  id: string,
  status: InsightsEnvelope['status'],
  { error, generatedAt, updatedAt, summary, coverage, findings, truncation }: Document,
): InsightsEnvelope {
  return {
    schemaVersion: 1,
    scope: { kind: 'eval_run', id },
    status,
    reasonCode: error?.code ?? null,
    retryable: error ? isPassing(error.code) : status !== 'not_available',
    error,
    generatedAt,
    updatedAt,
    summary,
    coverage,
    findings,
    truncation,
  }
}
