import { isDeepStrictEqual } from 'node:util'
import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import { newId } from '../core/ids.ts'
import { canonicalJson, parseExact } from '../../lib/json.ts'
import { excerptOf } from '../insights/advice.ts'
import { SWARM_SCOPE, type FindingRow, type FindingScope, type FindingSubject } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { afterWave, compareWaves, mergeRecordings, type WaveRecording } from './lifecycle.ts'

/** One failure that a wave saw. */
export type Sighting = {
  /** Stable over waves; made of identities, never of names or of texts that vary. */
  fingerprint: string
  dimension: string
  subject: { kind: string; id: string; label?: string }
  title: string
  evidence: ActionableFindingEvidence[]
}

/** Whose wave it is; a window of a scenario's sessions is its wave. */
export type WaveSource = { kind: 'swarm' } | { kind: 'user-testing'; scenarioId: string }

/**
 * Moves a project's findings by what a graded wave saw. Runs inside the caller's transaction. A wave with several runs
 * is recorded once for each of them and stays one occurrence; an older wave that is recorded late takes its own place.
 * @param wave `at` is the time of grading in epoch milliseconds; `covers` tells whether this recording looked where the
 * finding was, so that not seeing it there means that it is gone
 * @param now when it is recorded, epoch milliseconds
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

/** Under what the findings of a source are kept. */
export function scopeOf(projectId: string, source: WaveSource): FindingScope {
  return { projectId, scope: source.kind === 'swarm' ? SWARM_SCOPE : source.scenarioId }
}

/** A recording with the time at which it is written down. */
type Noted = WaveRecording & { now: number }

function recordSighting(store: Store, scope: FindingScope, wave: Noted, sighting: Sighting): void {
  const subject = subjectOf(sighting)
  const row = store.findings.find(scope, sighting.fingerprint) ?? insertFinding(store, scope, wave, subject)
  // Names as the newest sighting has them, so that a rename shows.
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

/** Puts a recording where it belongs in time and replays the finding from there. */
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

/** What servers, models and visitors wrote is bounded before it is kept. */
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

/** With sorted fields, so that the same evidence is the same text. */
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
