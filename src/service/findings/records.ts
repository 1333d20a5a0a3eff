import type { SwarmFinding } from '../../api/contract/journey-findings.ts'
import type { ScenarioFinding } from '../../api/contract/user-testing.ts'
import { ServiceError } from '../core/errors.ts'
import { MAX_EVIDENCE, remediationId, excerptOf } from '../insights/advice.ts'
import { type FindingRow, type FindingScope, SWARM_SCOPE, type FindingSubject } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { InsightsEnvelope, ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import type { SessionText } from './discovery.ts'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../core/ids.ts'
import { canonicalJson, parseExact } from '../../lib/json.ts'
import { afterWave, compareWaves, mergeRecordings, type WaveRecording } from './lifecycle.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { latestPage } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export type Sighting = {
  /** The same in all waves, because it consists of ids. Names and texts may change. */
  fingerprint: string
  dimension: string
  subject: { kind: string; id: string; label?: string }
  title: string
  evidence: ActionableFindingEvidence[]
}

/** Where a wave comes from. A window of a scenario's sessions counts as a wave. */
export type WaveSource = { kind: 'swarm' } | { kind: 'user-testing'; scenarioId: string }

/**
 * Updates a project's findings after a graded wave, in the caller's transaction. Several runs of a wave count as one
 * occurrence. A wave that arrives late is inserted at its own time.
 * @param wave `at` = time of grading; `covers` = whether it examined the subject of a finding
 * @param now epoch milliseconds
 */
export function recordGradedWave(
  store: Store,
  wave: {
    projectId: string
    source: WaveSource
    waveId: string
    at: number
    covers: (finding: { dimension: string; subjectId: string }) => boolean
    sightings: Sighting[]
  },
  now: number = Date.now(),
): void {
  const { waveId, at, covers, sightings } = wave
  const scope = scopeOf(wave.projectId, wave.source)
  const seen = new Set(sightings.map(({ fingerprint }) => fingerprint))
  for (const row of store.findings.list(scope))
    if (!seen.has(row.fingerprint) && covers(row))
      applyRecording(store, row, { waveId, seen: false, at, firstAt: at, now })
  for (const sighting of sightings) recordSighting(store, scope, { waveId, seen: true, at, firstAt: at, now }, sighting)
}

/** Returns the scope under which the findings of a source are stored. */
export function scopeOf(projectId: string, source: WaveSource): FindingScope {
  return { projectId, scope: source.kind === 'swarm' ? SWARM_SCOPE : source.scenarioId }
}

/** A recording with the time at which it is stored. */
type Noted = WaveRecording & { now: number }

function recordSighting(store: Store, scope: FindingScope, wave: Noted, sighting: Sighting): void {
  const subject = subjectOf(sighting)
  const row = store.findings.find(scope, sighting.fingerprint) ?? insertFinding(store, scope, wave, subject)
  // The latest sighting sets the names, so that a new name is shown.
  applyRecording(store, row, wave, wave.at >= row.lastSeenAt ? subject : undefined)
  store.findings.addEvidence(row.id, wave.waveId, sighting.evidence.map(clipped))
}

type NewFinding = Omit<FindingRow, 'position'>

function insertFinding(
  store: Store,
  scope: FindingScope,
  { now, ...wave }: Noted,
  subject: FindingSubject,
): NewFinding {
  const first = afterWave(undefined, wave)
  if (!first) throw new Error('A finding begins with a sighting.')
  const row: NewFinding = { id: newId('fnd'), ...scope, ...subject, ...first, dismissedAt: null, updatedAt: now }
  store.findings.insert(row)
  return row
}

/** Inserts a recording at its time, and computes the states of the finding from there on. */
function applyRecording(
  { findings }: Store,
  row: NewFinding,
  { now: updatedAt, ...recording }: Noted,
  subject?: FindingSubject,
): void {
  const known = findings.wave(row.id, recording.waveId)
  const merged = known ? mergeRecordings(known, recording) : recording
  const from = known && compareWaves(known, merged) < 0 ? known : merged
  let state = findings.stateBefore(row.id, from)
  findings.putWave(row.id, merged)
  for (const wave of findings.wavesFrom(row.id, from)) {
    state = afterWave(state, wave)
    findings.setStateAfter(row.id, wave.waveId, state)
  }
  const now = { ...row, ...subject, ...state }
  if (!isDeepStrictEqual(now, { ...row })) findings.update(row.id, { ...subject, ...state, updatedAt })
}

/** Returns the subject of a finding. Text of servers, models and visitors is cut before it is stored. */
function subjectOf({ fingerprint, dimension, title, subject }: Sighting): FindingSubject {
  return {
    fingerprint,
    dimension,
    title: excerptOf(title),
    subjectKind: subject.kind,
    subjectId: subject.id,
    subjectLabel: excerptOf(subject.label ?? subject.id),
  }
}

/** Returns evidence with cut texts and sorted fields, so that equal evidence is stored as equal text. */
function clipped(evidence: ActionableFindingEvidence): ActionableFindingEvidence {
  const { excerpt, toolName, errorCode, ...identities } = evidence
  const shown = {
    ...identities,
    ...(excerpt != null && { excerpt: excerptOf(excerpt) }),
    ...(toolName != null && { toolName: excerptOf(toolName) }),
    ...(errorCode != null && { errorCode: excerptOf(errorCode) }),
  }
  return parseExact(canonicalJson(shown)) as ActionableFindingEvidence
}

/** Finds a finding by its own id or by the id in its insights. @throws ServiceError `NOT_FOUND` */
export function requireFinding(store: Store, scope: FindingScope, findingId: string): FindingRow {
  const row =
    store.findings.get(scope, findingId) ??
    store.findings.list(scope).find(({ fingerprint }) => remediationId(fingerprint) === findingId)
  if (!row) throw new ServiceError('NOT_FOUND', `There is no finding ${findingId} here.`)
  return row
}

/** Dismisses a finding, or restores it. A repeat changes nothing, and the status remains. */
export function setDismissed(store: Store, row: FindingRow, dismissed: boolean, now: number = Date.now()): void {
  if (dismissed === (row.dismissedAt !== null)) return
  store.findings.setDismissed(row.id, dismissed ? now : null, now)
}

function toSwarmFinding(row: FindingRow): SwarmFinding {
  const { id, fingerprint, dimension, lastSeenWaveId } = row
  return { id, fingerprint, dimension, subject: shownSubject(row), lastSeenWaveId, ...historyOf(row) }
}

/**
 * Converts a finding of a scenario. The contract leaves the document open: it has the fields of a swarm finding, a
 * text, and evidence of the last window that saw the finding.
 */
export function toScenarioFinding(store: Store, row: FindingRow): ScenarioFinding {
  const { id, fingerprint, dimension, title, lastSeenWaveId } = row
  const evidence = store.findings.evidence(id, lastSeenWaveId)
  return {
    id,
    fingerprint,
    remediationId: remediationId(fingerprint),
    title,
    dimension,
    subject: shownSubject(row),
    lastSeenWindowId: lastSeenWaveId,
    ...historyOf(row),
    evidence: evidence.slice(0, MAX_EVIDENCE),
    evidenceCount: evidence.length,
  }
}

function shownSubject({ subjectKind, subjectId, subjectLabel }: FindingRow) {
  return { kind: subjectKind, id: subjectId, label: subjectLabel }
}

function historyOf(row: FindingRow) {
  const { status, occurrenceCount, firstSeenAt, lastSeenAt, resolvedAt, dismissedAt, updatedAt } = row
  return { status, occurrenceCount, firstSeenAt, lastSeenAt, resolvedAt, dismissedAt, updatedAt }
}

/** The numbers of sessions in a wave or window. */
export type WaveFacts = {
  what: string
  /** Number of all sessions, and number of analyzed sessions. */
  total: number
  analyzed: number
  gradedCount?: number
  feedbackCount?: number
  runHealth?: NonNullable<InsightsEnvelope['runHealth']>
  /**
   * Number of sessions with a failure, by the failure's fingerprint. If a fingerprint is absent, only the evidence is
   * known.
   */
  affected: ReadonlyMap<string, number>
}

/** Reads waves or windows for insights. */
export type WaveSubjects = {
  has(store: Store, scope: FindingScope, waveId: string): boolean
  inFlight(store: Store, scope: FindingScope, waveId: string): boolean
  /** Returns undefined if the wave was deleted. */
  facts(store: Store, scope: FindingScope, waveId: string): WaveFacts | undefined
  sessions?(store: Store, scope: FindingScope, waveId: string): SessionText[]
}

export function journeyFindingHandlers({ store }: ServiceContext): Handlers['journeyFindings'] {
  const scopeIn = (projectId: string) => scopeOf(projectId, { kind: 'swarm' })
  const dismissal =
    (dismissed: boolean) =>
    ({ project, params }: { project: ProjectRow; params: { findingId: string } }) =>
      store.write(() => {
        const row = requireFinding(store, scopeIn(project.id), params.findingId)
        setDismissed(store, row, dismissed)
        return { id: row.id, projectId: project.id, dismissed }
      })
  return {
    list: ({ project, query }) =>
      latestPage(
        store,
        {
          name: 'findings',
          ownerId: project.id,
          query,
          page: (projectId, before, limit) => store.findings.page(scopeIn(projectId), before, limit),
        },
        toSwarmFinding,
      ),
    dismiss: dismissal(true),
    undismiss: dismissal(false),
  }
}
