import type { SwarmFinding } from '../../api/contract/journey-findings.ts'
import type { ScenarioFinding } from '../../api/contract/user-testing-insights.ts'
import { ServiceError } from '../core/errors.ts'
import { MAX_EVIDENCE, remediationId } from '../insights/advice.ts'
import type { FindingRow, FindingScope } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import type { SessionText } from './discovery.ts'

/**
 * The finding of a path: by its own id, or by the id under which insights show the same problem.
 * @throws ServiceError `NOT_FOUND`
 */
export function requireFinding(store: Store, scope: FindingScope, findingId: string): FindingRow {
  const row =
    store.findings.get(scope, findingId) ??
    store.findings.list(scope).find(({ fingerprint }) => remediationId(fingerprint) === findingId)
  if (!row) throw new ServiceError('NOT_FOUND', `There is no finding ${findingId} here.`)
  return row
}

/** Hides a finding or shows it again; a repeat changes nothing, and neither does either to the status. */
export function setDismissed(store: Store, row: FindingRow, dismissed: boolean, now: number = Date.now()): void {
  if (dismissed === (row.dismissedAt !== null)) return
  store.findings.setDismissed(row.id, dismissed ? now : null, now)
}

export function toSwarmFinding(row: FindingRow): SwarmFinding {
  const { id, fingerprint, dimension, lastSeenWaveId } = row
  return { id, fingerprint, dimension, subject: subjectOf(row), lastSeenWaveId, ...historyOf(row) }
}

/** An open document: the fields of a swarm finding, what it says, and evidence from the window that saw it last. */
export function toScenarioFinding(store: Store, row: FindingRow): ScenarioFinding {
  const { id, fingerprint, dimension, title, lastSeenWaveId } = row
  const evidence = store.findings.evidence(id, lastSeenWaveId)
  return {
    id,
    fingerprint,
    remediationId: remediationId(fingerprint),
    title,
    dimension,
    subject: subjectOf(row),
    lastSeenWindowId: lastSeenWaveId,
    ...historyOf(row),
    evidence: evidence.slice(0, MAX_EVIDENCE),
    evidenceCount: evidence.length,
  }
}

function subjectOf({ subjectKind, subjectId, subjectLabel }: FindingRow) {
  return { kind: subjectKind, id: subjectId, label: subjectLabel }
}

function historyOf(row: FindingRow) {
  const { status, occurrenceCount, firstSeenAt, lastSeenAt, resolvedAt, dismissedAt, updatedAt } = row
  return { status, occurrenceCount, firstSeenAt, lastSeenAt, resolvedAt, dismissedAt, updatedAt }
}

/** What a wave or window consists of, counted. */
export type WaveFacts = {
  /** What it is, for a sentence. */
  what: string
  /** Sessions there are, and those of them that were looked at. */
  total: number
  analyzed: number
  gradedCount?: number
  feedbackCount?: number
  runHealth?: NonNullable<InsightsEnvelope['runHealth']>
  /** Sessions that a failure was seen in, by fingerprint; what is missing is known by the evidence alone. */
  affected: ReadonlyMap<string, number>
}

/** Waves, or windows, as insights read them. */
export type WaveSubjects = {
  has(store: Store, scope: FindingScope, waveId: string): boolean
  /** Whether it is not over, so that there is more to come. */
  inFlight(store: Store, scope: FindingScope, waveId: string): boolean
  /** Undefined = it is gone. */
  facts(store: Store, scope: FindingScope, waveId: string): WaveFacts | undefined
  /** What was said, for kinds of insights that have a discovery lane. */
  sessions?(store: Store, scope: FindingScope, waveId: string): SessionText[]
}
