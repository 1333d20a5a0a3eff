import type { JourneyRun, JourneyRunSession, RunScorecard } from '../../api/contract/journey-runs.ts'
import { insightsEnvelopeOf } from '../findings/envelopes.ts'
import type { AttemptRow, JourneyRunRow, JourneySessionRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { GOAL_THRESHOLD } from './grading.ts'
import { countSessions, tallySessions, type RunTally } from './tallies.ts'
export function tallyOf(store: Store, { id, plan }: JourneyRunRow): RunTally {
  return tallySessions(plan.rubric, store.journeySessions.listByRun(id))
}

export function toJourneyRun(store: Store, run: JourneyRunRow): JourneyRun {
  const { id, projectId, journeyId, waveId, status, marker, error, plan, createdAt, lastHeartbeatAt } = run
  const counts = store.journeyRuns.attempts.counts(id)
  const { sessionsGraded, failCount, failedGradingCount } = tallyOf(store, run)
  const [only, ...others] = plan.targets
  return {
    id,
    projectId,
    journeyId,
    waveId,
    status,
    canceled: marker === 'canceled',
    stale: marker === 'stale',
    ...(error !== null && { error }),
    summary: countSessions(counts),
    // These fields are included only if they apply to the whole run (differences, row 26).
    ...(only && others.length === 0 && { hostId: only.hostId, targetId: only.targetId }),
    sessionsGraded,
    failCount,
    failedGradingCount,
    targets: plan.targets.map(({ hostId, hostName, targetId, modelId }) => ({ hostId, hostName, targetId, modelId })),
    persona: { personaId: plan.persona.id, name: plan.persona.name, role: plan.persona.role },
    targetSummaries: plan.targets.map(({ hostId, targetId }, position) => ({
      hostId,
      targetId,
      ...countSessions(counts.filter(({ targetPosition }) => targetPosition === position)),
    })),
    createdAt,
    lastHeartbeatAt,
  }
}

export function toJourneyRunDetail(store: Store, run: JourneyRunRow): JourneyRun {
  const sessions = new Map(store.journeySessions.listByRun(run.id).map(session => [session.attemptPosition, session]))
  const { id: runId, projectId, waveId } = run
  return {
    ...toJourneyRun(store, run),
    insights: insightsEnvelopeOf(store, { kind: 'swarm_wave', projectId, waveId, runId }),
    attempts: store.journeyRuns.attempts
      .list(run.id)
      .map(attempt => ({
        chatSessionId: sessions.get(attempt.position)?.chatSessionId ?? null,
        hostId: run.plan.targets[attempt.targetPosition]?.hostId ?? null,
        targetId: run.plan.targets[attempt.targetPosition]?.targetId ?? null,
        sessionIndex: attempt.sessionIndex,
        status: attempt.status,
        errorCode: attempt.errorCode,
        errorMessage: attempt.errorMessage,
      })),
  }
}

/**
 * Converts a session. `readiness` says whether its grades can be read. The contract defines neither `readiness` nor
 * `goalScore`.
 */
export function toJourneyRunSession(
  { id: runId, journeyId, plan }: JourneyRunRow,
  attempts: readonly AttemptRow[],
  session: JourneySessionRow,
): JourneyRunSession {
  const { id, chatSessionId, projectId, attemptPosition, grading, grades, gradingError } = session
  const attempt = attempts[attemptPosition]
  const target = attempt && plan.targets[attempt.targetPosition]
  return {
    id,
    chatSessionId,
    projectId,
    hostId: target?.hostId ?? null,
    runId,
    journeyId,
    personaId: plan.persona.id,
    personaLabel: plan.persona.name,
    status: 'active',
    outcome: attempt?.status ?? null,
    readiness: { grading: grading ?? 'not_graded', ...(gradingError !== null && { error: gradingError }) },
    goalScore: grades ? { ...grades.goal, threshold: GOAL_THRESHOLD } : null,
    messageCount: session.messageCount,
    ...(session.preview !== null && { preview: session.preview }),
    modelId: target?.modelId ?? null,
    startedAt: session.startedAt,
    lastActivityAt: session.lastActivityAt,
  }
}

export function toScorecard(store: Store, run: JourneyRunRow): RunScorecard {
  const { criteria, sessionsGraded } = tallyOf(store, run)
  const { total } = countSessions(store.journeyRuns.attempts.counts(run.id))
  return { runId: run.id, criteria, sessionsTotal: total, sessionsGraded }
}
