import type { InsightScope, InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import type { FindingScope, InsightsDocument, InsightsRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { scopeOf } from './records.ts'

/** What insights are about: the wave of a run, or the latest analyzed window of a scenario. */
export type EnvelopeScope =
  | { kind: 'swarm_wave'; projectId: string; waveId: string; runId: string }
  | { kind: 'user_testing_window'; projectId: string; scenarioId: string }

/** The fields of insights that were never requested. */
const NOT_REQUESTED = {
  schemaVersion: 1,
  status: 'not_requested',
  reasonCode: null,
  retryable: true,
  error: null,
  generatedAt: null,
  updatedAt: null,
  summary: null,
  coverage: { unit: 'sessions', analyzed: 0, total: 0, truncated: false, lowConfidence: true },
  findings: [],
  truncation: { truncated: false, omittedFindings: 0, omittedEvidence: 0, contractTruncated: false },
} satisfies Partial<InsightsEnvelope>

/** Returns the insights of a journey run or a scenario; undefined if the scenario has no analyzed window. */
export function insightsEnvelopeOf(store: Store, scope: EnvelopeScope): InsightsEnvelope | undefined {
  if (scope.kind === 'swarm_wave') {
    const { kind, projectId, waveId, runId } = scope
    const place = scopeOf(projectId, { kind: 'swarm' })
    return toEnvelope(store, place, { kind, id: waveId, runId }, store.insights.get(place, waveId))
  }
  const { projectId, scenarioId } = scope
  const place = scopeOf(projectId, { kind: 'user-testing', scenarioId })
  const { windows } = store.visitorSessions
  const row = store.insights.latest(place)
  const window = row ? windows.get(scenarioId, row.waveId) : windows.latest(scenarioId)
  return window && windowEnvelope(store, place, window.id, row)
}

export function windowEnvelope(
  store: Store,
  place: FindingScope,
  windowId: string,
  row: InsightsRow | undefined,
): InsightsEnvelope {
  const window = store.visitorSessions.windows.get(place.scope, windowId)
  const span = window && { windowStartAt: window.startAt, windowEndAt: window.endAt }
  return toEnvelope(store, place, { kind: 'user_testing_window', id: windowId, scenarioId: place.scope, ...span }, row)
}

/**
 * Returns the generated part of insights, without findings that were dismissed later; null if there is none, or while
 * it is being generated.
 */
export function documentOf(store: Store, place: FindingScope, row: InsightsRow | undefined): InsightsDocument | null {
  if (!row?.document || row.status === 'pending') return null
  const dismissed = new Set(
    store.findings.list(place).flatMap(({ dismissedAt, fingerprint }) => (dismissedAt === null ? [] : fingerprint)),
  )
  const findings = row.document.findings.filter(
    ({ signalFingerprint }) => signalFingerprint == null || !dismissed.has(signalFingerprint),
  )
  return { ...row.document, findings }
}

function toEnvelope(
  store: Store,
  place: FindingScope,
  scope: InsightScope,
  row: InsightsRow | undefined,
): InsightsEnvelope {
  if (!row) return { ...NOT_REQUESTED, scope }
  const { status, errorCode, errorMessage, retryable, updatedAt } = row
  return {
    ...NOT_REQUESTED,
    scope,
    status,
    reasonCode: errorCode,
    retryable,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    updatedAt,
    ...generatedPart(documentOf(store, place, row), row.generatedAt),
  }
}

function generatedPart(document: InsightsDocument | null, generatedAt: number | null): Partial<InsightsEnvelope> {
  if (!document) return {}
  const { omittedFindings, omittedEvidence, discovery: _discovery, ...said } = document
  const truncated = omittedFindings + omittedEvidence > 0
  return { ...said, generatedAt, truncation: { truncated, omittedFindings, omittedEvidence, contractTruncated: false } }
}
