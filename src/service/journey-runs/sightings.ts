import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import { digest } from '../core/ids.ts'
import { recordGradedWave, type Sighting } from '../findings/records.ts'
import { excerptOf } from '../insights/advice.ts'
import type { JourneyRunRow, JourneyMessageRow, JourneySessionRow, AttemptEnd } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { statusOf } from './tallies.ts'

/** Dimensions of the findings of journey runs. A subject names its journey, since a run examines only one. */
const DIMENSIONS = ['goal', 'rubric', 'tool-errors'] as const
type Dimension = (typeof DIMENSIONS)[number]

type Subject = { dimension: Dimension; kind: string; id: string; label: string; title: string }
type Seen = { subject: Subject; evidence: ActionableFindingEvidence[] }

export type SessionTranscript = {
  session: Pick<JourneySessionRow, 'id' | 'grades' | 'grading'>
  messages: readonly Pick<JourneyMessageRow, 'toolCalls'>[]
}

/** The subjects that a run examined, and the failures it saw. */
type Observations = {
  sightings: Sighting[]
  /**
   * Whether the run examined the subject of a finding in all its sessions. If it did and did not see the finding, that
   * is resolved.
   */
  covers: (finding: { dimension: string; subjectId: string }) => boolean
}

/** Maximum number of pieces of evidence that one sighting stores. */
const MAX_EVIDENCE = 5
const FINGERPRINT_LENGTH = 32

/** Updates the findings after the run has ended, in the caller's transaction. */
function recordFindings(store: Store, run: JourneyRunRow, at: number): void {
  const sessions = store.journeySessions.listByRun(run.id)
  const observed = observe(
    run,
    sessions.map(session => ({ session, messages: store.journeySessions.messages(session.id) })),
  )
  if (!observed) return
  const { projectId, waveId } = run
  recordGradedWave(store, { projectId, source: { kind: 'swarm' }, waveId, at, ...observed }, at)
}

/**
 * Returns the failures of a run: those of the goal and criteria from its graded sessions, those of tools from calls.
 * Undefined if nothing was examined.
 */
export function observe(
  run: Pick<JourneyRunRow, 'journeyId' | 'plan'>,
  sessions: readonly SessionTranscript[],
): Observations | undefined {
  /** Evidence by dimension and subject. An empty list means that the subject was examined without a failure. */
  const looked = new Map<string, Seen>()
  const note = (subject: Subject, failure?: ActionableFindingEvidence) => {
    const key = placeOf(subject.dimension, subject.id)
    const seen = looked.get(key) ?? { subject, evidence: [] }
    looked.set(key, seen)
    if (failure) seen.evidence.push(failure)
  }
  for (const { session, messages } of sessions) {
    noteGrades(run, session, note)
    noteToolCalls(run, session.id, messages, note)
  }
  if (looked.size === 0) return undefined
  // Sessions that broke off or have no grades may have shown what the graded ones did not. What was seen was seen.
  const isGraded = sessions.every(({ session: { grading } }) => grading === 'graded')
  return {
    covers: ({ dimension, subjectId }) =>
      looked.has(placeOf(dimension, subjectId)) && (isGraded || !isOfGrades(dimension)),
    sightings: [...looked.values()].flatMap(({ subject, evidence }) =>
      evidence.length > 0 ? toSighting(subject, evidence) : [],
    ),
  }
}

/** Whether findings of a dimension come from the grades of sessions. */
function isOfGrades(dimension: string): boolean {
  return dimension === 'goal' || dimension === 'rubric'
}

type Note = (subject: Subject, failure?: ActionableFindingEvidence) => void
type Run = Pick<JourneyRunRow, 'journeyId' | 'plan'>

function noteGrades({ journeyId, plan }: Run, { id: sessionId, grades }: SessionTranscript['session'], note: Note) {
  if (!grades) return
  const { name } = plan.journey
  const failure = (kind: string, reason: string) => ({ sessionId, kind, excerpt: excerptOf(reason) })
  const goal: Subject = {
    dimension: 'goal',
    kind: 'journey',
    id: journeyId,
    label: name,
    title: `The goal of "${name}" is not reached`,
  }
  note(goal, grades.goal.passed ? undefined : failure('judge', grades.goal.reason))
  for (const criterion of plan.rubric) {
    const verdict = grades.criteria[criterion.id]
    if (!verdict) continue
    const subject: Subject = {
      dimension: 'rubric',
      kind: 'criterion',
      id: `${journeyId}/${criterion.id}`,
      label: `${criterion.label} (${name})`,
      title: `Fails in "${name}": ${criterion.label}`,
    }
    const kind = criterion.kind === 'judge' ? 'judge' : 'transcript'
    note(subject, verdict.passed ? undefined : failure(kind, verdict.reason))
  }
}

function noteToolCalls(
  { journeyId, plan }: Run,
  sessionId: string,
  messages: SessionTranscript['messages'],
  note: Note,
) {
  const serverIds = new Map(plan.targets.flatMap(({ servers }) => servers.map(server => [server.name, server.id])))
  for (const { serverName, toolName, isError, resultText } of messages.flatMap(({ toolCalls }) => toolCalls)) {
    // Calling a tool that no server has is the model's mistake.
    if (serverName === '') continue
    const subject: Subject = {
      dimension: 'tool-errors',
      kind: 'tool',
      id: `${journeyId}/${serverIds.get(serverName) ?? serverName}/${toolName}`,
      label: `${toolName} of ${serverName}`,
      title: `Calls of ${toolName} of ${serverName} fail in "${plan.journey.name}"`,
    }
    const excerpt = excerptOf(resultText)
    note(subject, isError ? { sessionId, kind: 'tool_error', toolName, excerpt } : undefined)
  }
}

function toSighting({ dimension, kind, id, label, title }: Subject, evidence: ActionableFindingEvidence[]): Sighting {
  return {
    fingerprint: digest([dimension, id]).slice(0, FINGERPRINT_LENGTH),
    dimension,
    subject: { kind, id, label },
    title,
    evidence: evidence.slice(0, MAX_EVIDENCE),
  }
}

function placeOf(dimension: string, subjectId: string): string {
  return JSON.stringify([dimension, subjectId])
}

/** Why a run ends: its sessions ended, someone cancelled it, its process is gone, or it failed. */
type JourneyRunEnding = 'ended' | 'canceled' | { stale: string } | { broken: string }

/**
 * Ends a run in progress and its attempts, in the caller's transaction. Updates the findings if the run is complete.
 * @returns the number of attempts that it ended
 */
export function endJourneyRun(store: Store, runId: string, ending: JourneyRunEnding, now: number = Date.now()): number {
  const run = store.journeyRuns.find(runId)
  if (run?.status !== 'running') return 0
  const { marker, error, errorCode } = describe(ending)
  const unfinished: AttemptEnd = { status: 'failed', errorCode, errorMessage: error }
  const { attempts } = store.journeyRuns
  const finalized = attempts.endUnfinished(run.id, unfinished, now)
  const status = marker === 'canceled' ? 'failed' : statusOf(attempts.list(run.id).map(attempt => attempt.status))
  store.journeyRuns.end(run.id, { status, marker, error }, now)
  if (ending === 'ended') recordFindings(store, run, now)
  return finalized
}

function describe(ending: JourneyRunEnding) {
  if (ending === 'ended') return { marker: null, error: null, errorCode: null }
  if (ending === 'canceled')
    return { marker: 'canceled', error: 'The run was canceled.', errorCode: 'CANCELED' } as const
  if ('stale' in ending) return { marker: 'stale', error: ending.stale, errorCode: 'STALE' } as const
  return { marker: null, error: ending.broken, errorCode: 'INTERNAL_ERROR' } as const
}
