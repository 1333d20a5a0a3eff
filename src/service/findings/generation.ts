import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { adviseOn, MAX_EVIDENCE, type ObservedFailure, CONFIDENT_COUNT, isPassing } from '../insights/advice.ts'
import type { JobKind } from '../core/jobs.ts'
import { requireModel } from '../models/ask.ts'
import type { FindingScope, InsightsDocument, InsightsEnd, InsightsRow } from './rows.ts'
import { discover } from './discovery.ts'
import { failuresOf } from './observed.ts'
import type { WaveFacts, WaveSubjects } from './records.ts'

/** A wave or a window whose insights are asked for. */
export type InsightsSubject = { scope: FindingScope; waveId: string }

/** Generates insights of waves, or of windows, in the background. */
export type InsightsGeneration = {
  /** Undefined = nobody asked. */
  get(subject: InsightsSubject): InsightsRow | undefined
  /**
   * Begins a generation; one that is pending answers a repeat without another slice of the quota.
   * @throws ServiceError `NOT_FOUND`, `CONFLICT` while the wave is running, and when there are insights and `force` is
   *   not set, `FEATURE_NOT_SUPPORTED` without a model, `RATE_LIMITED`
   */
  request(subject: InsightsSubject, by: { organizationId: string; force: boolean }): InsightsRow
  /** Ends a pending generation; false when none is pending. What an earlier one said comes back. */
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

  /** The directed lane: what was measured, with advice. Undefined when it failed. */
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
    // When this fails, the directed lane stays as it is and this one stays empty.
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

/** Without a look, no failure is no good news. */
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
