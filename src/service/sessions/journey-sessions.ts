import { answerSpans, sessionLink, type SessionRow, type SessionSource } from './session.ts'
import type { JourneyFeedRow, JourneyMessageRow } from '../journey-runs/session-rows.ts'

/** Sessions of journey runs; nobody archives them. */
export const journeySessions: SessionSource = {
  sourceType: 'swarm',
  rows: (store, projectId, { status, ...filter }) =>
    status === 'archived'
      ? []
      : store.journeySessions
          .feed(projectId, filter)
          .map(row => toSession(row, store.journeySessions.messages(row.id))),
}

const STATUS = { pending: 'unset', running: 'unset', succeeded: 'ok', failed: 'error', rate_limited: 'error' } as const

function toSession(row: JourneyFeedRow, messages: readonly JourneyMessageRow[]): SessionRow {
  const { plan, attempt } = row
  const target = plan.targets[attempt.targetPosition]
  return {
    summary: toSummary(row),
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    finalText: messages.findLast(({ role }) => role === 'assistant')?.text ?? '',
    spans: () => messages.flatMap(answerSpans),
    status: STATUS[attempt.status],
    ...(attempt.errorMessage !== null && { error: attempt.errorMessage }),
    attributes: {
      'mcpdeck.journey.id': row.journeyId,
      'mcpdeck.journey.run.id': row.runId,
      'mcpdeck.journey.wave.id': row.waveId,
      'mcpdeck.journey.persona.id': plan.persona.id,
      'mcpdeck.journey.outcome': attempt.status,
      ...(target && { 'mcpdeck.journey.target.id': target.targetId }),
    },
  }
}

function toSummary(row: JourneyFeedRow): SessionRow['summary'] {
  const { id, chatSessionId, projectId, runId, journeyId, plan, attempt, startedAt, lastActivityAt } = row
  const { name } = plan.journey
  return {
    id,
    chatSessionId,
    projectId,
    sourceType: 'swarm',
    origin: 'api',
    status: 'active',
    synthetic: true,
    lockReason: null,
    title: `${name}: ${plan.persona.name}`,
    firstMessagePreview: row.preview ?? '',
    visibility: null,
    ownedByViewer: false,
    startedAt,
    lastActivityAt,
    modelId: plan.targets[attempt.targetPosition]?.modelId ?? null,
    messageCount: row.messageCount,
    cumulativeUserMessageCount: row.userMessageCount,
    cumulativeToolCallCount: row.toolCallCount,
    cumulativeInputTokens: row.inputTokens,
    cumulativeOutputTokens: row.outputTokens,
    parentRef: { kind: 'journeyRun', label: name, journeyRunId: runId, journeyRefId: journeyId },
    link: sessionLink(`projects/${projectId}`),
  }
}
