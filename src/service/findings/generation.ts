import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import {
  adviseOn,
  MAX_EVIDENCE,
  type ObservedFailure,
  CONFIDENT_COUNT,
  isPassing,
  severityOf,
} from '../insights/advice.ts'
import type { JobKind } from '../core/jobs.ts'
import { requireModel } from '../models/ask.ts'
import type { FindingScope, InsightsDocument, InsightsEnd, InsightsRow, FindingRow } from './rows.ts'
import { discover } from './discovery.ts'
import type { WaveFacts, WaveSubjects } from './records.ts'
import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import type { Store } from '../core/database/store.ts'

export type InsightsSubject = { scope: FindingScope; waveId: string }

/** Generates insights of waves, or of windows, in the background. */
type InsightsGeneration = {
  /** Returns the insights; undefined if they were never requested. */
  get(subject: InsightsSubject): InsightsRow | undefined
  /**
   * Starts a generation. If one is pending, it is returned, and nothing is spent.
   * @throws ServiceError `NOT_FOUND`, `CONFLICT` while the run is in progress, or if there are insights and `force` is
   * not set, `FEATURE_NOT_SUPPORTED`, `RATE_LIMITED`
   */
  request(subject: InsightsSubject, by: { organizationId: string; force: boolean }): InsightsRow
  /**
   * Ends a pending generation, so that the result of an earlier one is shown again. Returns false if none is pending.
   */
  cancel(subject: InsightsSubject): boolean
}

type Observed = { facts: WaveFacts; failures: ObservedFailure[] }

export function createGeneration(
  { store, jobs, quotas, models }: ServiceContext,
  kind: Extract<JobKind, 'wave-insights' | 'window-insights'>,
  subjects: WaveSubjects,
): InsightsGeneration {
  const access = { configured: models, keys: {} }
  jobs.define(kind, (id, why) => void store.insights.end(id, failed('INTERNAL_ERROR', why)))

  /** Has the model explain the measured failures. Returns undefined if this failed or was cancelled. */
  const explain = async (
    { id }: InsightsRow,
    { facts, failures }: Observed,
    signal: AbortSignal,
  ): Promise<InsightsDocument | undefined> => {
    try {
      const advised =
        facts.analyzed === 0 ? nothingSeen(facts) : await adviseOn(access, { what: facts.what, failures }, signal)
      const document = toDocument(advised, failures, facts)
      return store.write(() => store.insights.end(id, completed(Date.now(), document))) ? document : undefined
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      store.write(() => store.insights.end(id, failed(error.code, error.message)))
      return undefined
    }
  }

  const generate = async (row: InsightsRow, signal: AbortSignal) => {
    const { id, projectId, scope, waveId } = row
    const place = { projectId, scope }
    const observed = store.read((): Observed | undefined => {
      const facts = subjects.facts(store, place, waveId)
      return facts && { facts, failures: failuresOf(store, place, waveId, facts) }
    })
    if (!observed) throw new Error('The subject of these insights was deleted.')
    const document = await explain(row, observed, signal)
    const sessions = document && store.read(() => subjects.sessions?.(store, place, waveId))
    if (!sessions) return
    // If the discovery fails, the explained failures are kept without a discovery.
    const known = observed.failures.map(({ title }) => title)
    const discovery = await discover(access, { what: observed.facts.what, sessions, known }, signal)
    store.write(() => store.insights.setDiscovery(id, discovery, Date.now()))
  }

  return {
    get({ scope, waveId }) {
      jobs.settleAbandoned()
      return store.insights.get(scope, waveId)
    },
    request({ scope, waveId }, { organizationId, force }) {
      jobs.settleAbandoned()
      return store.write(() => {
        if (!subjects.has(store, scope, waveId))
          throw new ServiceError('NOT_FOUND', `There is no wave or window ${waveId} here.`)
        const known = store.insights.get(scope, waveId)
        if (known?.status === 'pending') return known
        if (subjects.inFlight(store, scope, waveId))
          throw new ServiceError(
            'CONFLICT',
            `The wave ${waveId} is still running. Request insights when its runs have ended.`,
          )
        if (known?.status === 'completed' && !force)
          throw new ServiceError(
            'CONFLICT',
            'Insights exist already. Send force: true to generate them again, which counts as another request.',
          )
        requireModel(access)
        quotas.take(organizationId, 'insights')
        const row: InsightsRow = {
          id: newId('ins'),
          ...scope,
          waveId,
          status: 'pending',
          document: known?.document,
          generatedAt: known?.generatedAt ?? null,
          errorCode: null,
          errorMessage: null,
          retryable: false,
          updatedAt: Date.now(),
        }
        store.insights.put(row)
        jobs.start(kind, row.id, signal => generate(row, signal))
        return row
      })
    },
    cancel: ({ scope, waveId }) =>
      store.write(() => {
        const known = store.insights.get(scope, waveId)
        if (known?.status !== 'pending') return false
        jobs.stop(kind, known.id)
        const { document, generatedAt } = known
        return store.insights.end(
          known.id,
          document && generatedAt !== null
            ? completed(generatedAt, document)
            : { ...failed('CANCELED', 'The analysis was cancelled.'), retryable: true },
        )
      }),
  }
}

type Advised = Awaited<ReturnType<typeof adviseOn>>

/**
 * Returns the result for a wave in which nothing was analyzed. No findings are then no good news, and the summary says
 * so.
 */
function nothingSeen({ what, total }: WaveFacts): Advised {
  const summary = `No insights for ${what}: none of its ${total} sessions got far enough to be analyzed.`
  return { summary, findings: [], omitted: 0 }
}

function toDocument(
  { summary, findings, omitted }: Advised,
  failures: readonly ObservedFailure[],
  facts: WaveFacts,
): InsightsDocument {
  const shown = new Set(findings.map(({ signalFingerprint }) => signalFingerprint))
  const omittedEvidence = failures
    .filter(({ fingerprint }) => shown.has(fingerprint))
    .reduce((sum, { evidence }) => sum + Math.max(0, evidence.length - MAX_EVIDENCE), 0)
  return { summary, findings, omittedFindings: omitted, omittedEvidence, ...measured(facts) }
}

function measured({ total, analyzed, gradedCount, feedbackCount, runHealth }: WaveFacts) {
  const coverage: InsightsDocument['coverage'] = {
    unit: 'sessions',
    analyzed,
    total,
    ...(gradedCount !== undefined && { gradedCount }),
    ...(feedbackCount !== undefined && { feedbackCount }),
    truncated: analyzed < total,
    lowConfidence: analyzed < CONFIDENT_COUNT,
  }
  return { coverage, ...(runHealth && { runHealth }) }
}

function completed(generatedAt: number, document: InsightsDocument): InsightsEnd {
  const noError = { errorCode: null, errorMessage: null, retryable: false }
  return { status: 'completed', document, generatedAt, ...noError, updatedAt: Date.now() }
}

function failed(errorCode: string, errorMessage: string): InsightsEnd {
  const retryable = isPassing(errorCode)
  return { status: 'failed', errorCode, errorMessage, retryable, updatedAt: Date.now() }
}

/** Returns the measured failures of a wave, except dismissed findings. */
function failuresOf(
  store: Store,
  scope: FindingScope,
  waveId: string,
  { analyzed, affected }: WaveFacts,
): ObservedFailure[] {
  return store.findings
    .seenIn(scope, waveId)
    .filter(({ dismissedAt }) => dismissedAt === null)
    .map(row => {
      const evidence = store.findings.evidence(row.id, waveId)
      const sessions = affected.get(row.fingerprint) ?? namesOf(evidence, 'sessionId').length
      // Even evidence that names no session comes from a session, so at least one counts.
      return toFailure(row, evidence, Math.max(1, sessions), analyzed)
    })
}

function toFailure(
  row: FindingRow,
  evidence: ActionableFindingEvidence[],
  count: number,
  analyzed: number,
): ObservedFailure {
  const total = Math.max(count, analyzed)
  return {
    fingerprint: row.fingerprint,
    title: row.title,
    observed: observedText(row, evidence, count, total),
    category: categoryOf(row, evidence),
    severity: severityOf({ count, total }),
    affected: { count, total, unit: 'sessions' },
    evidence,
  }
}

function observedText(
  { subjectKind, subjectLabel, status, occurrenceCount }: FindingRow,
  evidence: readonly ActionableFindingEvidence[],
  count: number,
  total: number,
): string {
  const tools = namesOf(evidence, 'toolName')
  const codes = namesOf(evidence, 'errorCode')
  return [
    `${count} of ${total} sessions; ${subjectKind}: ${subjectLabel}.`,
    `Occurrences so far: ${occurrenceCount} (${status}).`,
    ...(tools.length > 0 ? [`Tools: ${tools.join(', ')}.`] : []),
    ...(codes.length > 0 ? [`Error codes: ${codes.join(', ')}.`] : []),
  ].join(' ')
}

function namesOf(
  evidence: readonly ActionableFindingEvidence[],
  field: 'sessionId' | 'toolName' | 'errorCode',
): string[] {
  return [...new Set(evidence.flatMap(item => item[field] ?? []))]
}

/** Categories of the dimensions of findings. The category of any other dimension follows from its evidence. */
const CATEGORIES: Readonly<Record<string, string>> = {
  'tool-errors': 'tool_runtime',
  tool_error: 'tool_runtime',
  goal: 'workflow',
  abandonment: 'workflow',
  repeated_question: 'agent_behavior',
}

function categoryOf({ dimension }: FindingRow, evidence: readonly ActionableFindingEvidence[]): string {
  if (Object.hasOwn(CATEGORIES, dimension)) return CATEGORIES[dimension] ?? 'unknown'
  return evidence.some(({ kind }) => kind === 'judge') ? 'agent_behavior' : 'unknown'
}
