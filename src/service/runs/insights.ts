import type * as z from 'zod'
import type {
  ActionableFinding,
  InsightsEnvelope,
  ActionableFindingEvidence,
} from '../../api/contract/insight-shapes.ts'
import type { EvalRunAnalysisRequested, EvalRunInsightsRequest } from '../../api/contract/judge-shapes.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf, oneLine } from '../core/one-line.ts'
import type { ServiceContext } from '../core/context.ts'
import { requireEnded, type JudgeDocument, type JudgeVerdict } from './judging.ts'
import { NO_MODEL_CONFIGURED, requireModel } from '../models/ask.ts'
import type { RunRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import {
  adviseOn,
  MAX_EVIDENCE,
  type ObservedFailure,
  CONFIDENT_COUNT,
  isPassing,
  severityOf,
} from '../insights/advice.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { digest } from '../core/ids.ts'
import type { CaseSnapshot, CheckVerdict, StepVerdict, ToolCallRecord, TrialOutcome } from '../evals/types.ts'
import { ownValue } from '../../lib/own-value.ts'

type Requested = z.infer<typeof EvalRunAnalysisRequested>

/** The part of insights that a generation creates. The rest follows from the run. */
type Document = Pick<InsightsEnvelope, 'summary' | 'findings' | 'coverage' | 'truncation'> & {
  error: { code: string; message: string } | null
  generatedAt: number | null
  updatedAt: number | null
}

const KIND = 'insights'
const JOB = 'run-insights'

type RunInsights = {
  /**
   * Schedules insights within the daily quota. If insights are pending, they are returned, and nothing is spent.
   * @throws ServiceError `VALIDATION_ERROR` while the run is in progress, `CONFLICT` if there are insights and `force`
   * is not set, `FEATURE_NOT_SUPPORTED`, `RATE_LIMITED`
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

/**
 * Returns the failures of a run and the number of analyzed trials: those that have an outcome and were not cancelled.
 */
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

/** Returns the judge's verdicts with a score below the threshold; none if the grading is not completed. */
function belowThreshold(store: Store, runId: string): JudgeDocument['verdicts'] {
  const judged = store.runAnalyses.get<JudgeDocument>(runId, 'goalCompletion')
  if (judged?.status !== 'completed') return []
  const { verdicts, threshold } = judged.document
  return verdicts.filter(({ score }) => score !== null && score < threshold)
}

/** Returns the number of pieces of evidence that the shown findings leave out. */
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

/** The parts of an ended trial that are searched for failures. */
type ObservedTrial = { iterationId: string; case: CaseSnapshot; outcome: TrialOutcome }

/** One sign of a failure in one trial. Signs of the same failure have the same fingerprint. */
type Sign = {
  fingerprint: string
  title: string
  category: string
  caseTitle: string
  iterationId: string
  evidence: ActionableFindingEvidence
}

/** Ways in which a trial ends before it is judged, with the category of the cause of each. */
const EARLY_ENDS: Readonly<Record<string, { title: string; category: string }>> = {
  setup_failed: { title: 'Trials could not be set up', category: 'environment' },
  execution_failed: { title: 'Trials broke while they were executed', category: 'environment' },
  timed_out: { title: 'Trials timed out', category: 'tool_runtime' },
  evaluator_error: { title: 'An evaluator failed', category: 'test_design' },
}

/** Rules about which tools are called and how. The caller is a model or the case itself. */
const CALL_RULES: ReadonlySet<string> = new Set([
  'toolCalledWith',
  'toolCalledAtLeastOnce',
  'toolNeverCalled',
  'firstToolWas',
  'toolCallMatch',
  'noToolCalled',
])

const COST_RULES: ReadonlySet<string> = new Set(['tokenBudgetUnder', 'turnCountUnder'])

/** Maximum number of cases that a sentence names. */
const MAX_NAMED_CASES = 5

/**
 * Returns the measured failures of a run. A failure has the same fingerprint in every run, even if its messages contain
 * other values.
 * @param belowThreshold the judge's verdicts on answers that missed the threshold
 */
function failuresOfTrials(
  trials: readonly ObservedTrial[],
  belowThreshold: readonly JudgeVerdict[],
): ObservedFailure[] {
  const verdicts = new Map(belowThreshold.map(verdict => [verdict.iterationId, verdict]))
  const signs = trials.flatMap(trial => signsOf(trial, verdicts.get(trial.iterationId)))
  return [...Map.groupBy(signs, ({ fingerprint }) => fingerprint).values()].map(group =>
    toFailure(group, trials.length),
  )
}

function toFailure(signs: Sign[], total: number): ObservedFailure {
  const { fingerprint, title, category } = signs[0]!
  const affected = { count: new Set(signs.map(sign => sign.iterationId)).size, total, unit: 'iterations' as const }
  const cases = [...new Set(signs.map(({ caseTitle }) => caseTitle))]
  const named = cases.slice(0, MAX_NAMED_CASES).map(name => `“${name}”`)
  const more = cases.length > named.length ? ` and ${cases.length - named.length} more` : ''
  return {
    fingerprint,
    title,
    observed: `${title}: ${affected.count} of ${total} iterations, in ${named.join(', ')}${more}.`,
    category,
    severity: severityOf(affected),
    affected,
    evidence: signs.map(({ evidence }) => evidence),
  }
}

function signsOf(trial: ObservedTrial, judged: JudgeVerdict | undefined): Sign[] {
  const { iterationId, case: snapshot, outcome } = trial
  const sign = (
    parts: Pick<Sign, 'fingerprint' | 'title' | 'category'>,
    evidence: ActionableFindingEvidence,
  ): Sign => ({ ...parts, caseTitle: snapshot.title, iterationId, evidence: { iterationId, ...evidence } })
  const errors = outcome.transcript.toolCalls.flatMap(call => {
    const message = errorOf(call)
    if (message === undefined) return []
    const { serverName, toolName } = call
    return sign(
      {
        fingerprint: `tool_error:${serverName}/${toolName}:${wordsOf(message)}`,
        title: `The tool ${toolName} of ${serverName} answers with an error`,
        category: 'tool_runtime',
      },
      { kind: 'tool_error', toolName, excerpt: message },
    )
  })
  const early = ownValue(EARLY_ENDS, outcome.class)
  if (early) {
    const message = outcome.error ?? ''
    const fingerprint = `${outcome.class}:${wordsOf(message)}`
    const ended = sign({ fingerprint, ...early }, { kind: 'transcript', errorCode: outcome.class, excerpt: message })
    // The call that ended the trial is already among the errors, so it is reported only once.
    return [...errors.filter(({ evidence }) => evidence.excerpt !== message), ended]
  }
  const missed = [...outcome.steps, ...outcome.checks]
    .filter(({ status }) => status === 'fail')
    .flatMap(verdict => {
      const rule = ruleOf(snapshot, verdict)
      return rule ? sign(rule, { kind: 'transcript', excerpt: verdict.reason ?? '' }) : []
    })
  return [...errors, ...missed, ...judgeSigns(trial, judged, sign)]
}

function judgeSigns(
  { case: snapshot, outcome }: ObservedTrial,
  judged: JudgeVerdict | undefined,
  sign: (parts: Pick<Sign, 'fingerprint' | 'title' | 'category'>, evidence: ActionableFindingEvidence) => Sign,
): Sign[] {
  if (!judged || outcome.class !== 'passed') return []
  const parts = {
    fingerprint: `judge:${snapshot.caseKey}`,
    title: `“${snapshot.title}” passes, and the judge says that it misses its goal`,
    category: 'agent_behavior',
  }
  return [sign(parts, { kind: 'judge', excerpt: judged.reason })]
}

/** Describes a failed assertion or rule; undefined for other steps. Their tool errors are reported separately. */
function ruleOf(
  snapshot: CaseSnapshot,
  verdict: StepVerdict | CheckVerdict,
): Pick<Sign, 'fingerprint' | 'title' | 'category'> | undefined {
  if ('source' in verdict) {
    const { id, source, type } = verdict
    // The check of a suite is the same in all cases of the suite.
    const scope = source === 'check' ? '' : `${snapshot.caseKey}/`
    return {
      fingerprint: `check:${scope}${id}`,
      title:
        source === 'check'
          ? `The check ${type} does not hold`
          : `The rule ${type} does not hold in “${snapshot.title}”`,
      category: categoryOf(type, snapshot),
    }
  }
  if (verdict.kind !== 'assert') return undefined
  const type = snapshot.steps[verdict.stepIndex]?.assertion?.['type']
  const name = typeof type === 'string' ? type : 'without a type'
  return {
    fingerprint: `assert:${snapshot.caseKey}/${verdict.stepId}`,
    title: `The assertion ${name} does not hold in “${snapshot.title}”`,
    category: categoryOf(name, snapshot),
  }
}

/** Returns the category of a failed rule. If the case itself calls the tools, the case is wrong. */
function categoryOf(type: string, { steps }: CaseSnapshot): string {
  if (COST_RULES.has(type)) return 'workflow'
  if (type === 'noToolErrors') return 'tool_runtime'
  if (!CALL_RULES.has(type)) return 'unknown'
  return steps.some(({ kind }) => kind === 'prompt') ? 'agent_behavior' : 'test_design'
}

/** Returns the error of a call that got no result, or whose result reports an error. */
function errorOf({ error, result }: ToolCallRecord): string | undefined {
  if (error !== undefined) return error
  if (result?.['isError'] !== true) return undefined
  const content: unknown = result['content']
  const texts = Array.isArray(content)
    ? content.flatMap((block: unknown) =>
        isPlainObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
      )
    : []
  return oneLine(texts.join(' ')) || 'The tool answered with isError.'
}

/** Length of the part of a fingerprint that is derived from a message, in hex digits. */
const FINGERPRINT_LENGTH = 16

/** Returns a message without quoted texts, numbers and ids, so that messages that differ only in these are equal. */
function wordsOf(message: string): string {
  const words = oneLine(message)
    .replaceAll(/"[^"]*"|'[^']*'|“[^”]*”/g, '…')
    .replaceAll(/[\w-]*\d[\w-]*/g, '#')
    .toLowerCase()
  return digest(words).slice(0, FINGERPRINT_LENGTH)
}
