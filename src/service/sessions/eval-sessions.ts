import type { SessionSummary } from '../../api/contract/sessions.ts'
import { toTrace, type TraceSpan } from '../evals/trace.ts'
import type { ToolCallRecord, Transcript } from '../evals/types.ts'
import type { EvalSessionRow } from './eval-rows.ts'
import { sessionLink, type SessionRow, type SessionSource, type SessionSpan, answerSpans } from './session.ts'
import type { JourneyFeedRow, JourneyMessageRow } from '../journey-runs/rows.ts'
import { oneLine } from '../core/one-line.ts'
import { SESSION_IDLE_MS } from '../scenarios/access.ts'
import type { VisitorFeedRow, VisitorMessageRow } from '../scenarios/visitor-session-rows.ts'

const PREVIEW_LENGTH = 200

/** Trials that were started, as sessions of their runs. They cannot be archived. */
export const evalSessions: SessionSource = {
  sourceType: 'eval',
  rows: (store, projectId, filter) =>
    filter.status === 'archived'
      ? []
      : store.evalSessions.list(projectId, filter).map(row => toSession(projectId, row)),
}

function toSession(projectId: string, row: EvalSessionRow): SessionRow {
  const { trial, run, snapshot, outcome } = row
  const { id, iterationNumber } = trial
  const trialClass = outcome?.class ?? trial.status
  const { messages = [], toolCalls = [], finalText = '' } = outcome?.transcript ?? {}
  return {
    summary: toSummary(projectId, row),
    messages,
    finalText,
    spans() {
      if (!outcome) return []
      const trace = toTrace({ id, iterationNumber, case: snapshot, status: 'running', outcome })
      return trace.spans.map(span => toSpan(span, toolCalls))
    },
    status: trialClass === 'passed' ? 'ok' : outcome ? 'error' : 'unset',
    ...(outcome?.error !== undefined && { error: outcome.error }),
    attributes: {
      'mcpdeck.eval.suite.id': run.suiteId,
      'mcpdeck.eval.run.id': run.id,
      'mcpdeck.eval.iteration.id': id,
      'mcpdeck.eval.case.key': snapshot.caseKey,
      'mcpdeck.eval.trial.class': trialClass,
    },
  }
}

function toSummary(projectId: string, row: EvalSessionRow): SessionRow['summary'] {
  const { trial, run, snapshot, outcome, lastActivityAt } = row
  const prompt = snapshot.steps.find(step => step.prompt !== undefined)?.prompt ?? ''
  const { id, title, startedAt } = trial
  return {
    id,
    // The key that the runtime uses. The contract distinguishes it from the id of the row.
    chatSessionId: id.replace(/^itr_/, 'chat_'),
    projectId,
    sourceType: 'eval',
    origin: run.source,
    status: 'active',
    synthetic: true,
    lockReason: null,
    title,
    firstMessagePreview: prompt.slice(0, PREVIEW_LENGTH).toWellFormed(),
    visibility: null,
    ownedByViewer: false,
    startedAt,
    lastActivityAt,
    modelId: snapshot.model ?? null,
    messageCount: 0,
    ...(outcome && toCounts(outcome.transcript)),
    parentRef: {
      kind: 'evalRun',
      label: `${run.suiteName} #${run.number}`,
      iterationId: id,
      suiteRunId: run.id,
      suiteId: run.suiteId,
    },
    link: sessionLink(`projects/${projectId}/runs/${run.id}?iterationId=${id}`),
  }
}

type Counts = Pick<
  SessionSummary,
  | 'messageCount'
  | 'cumulativeUserMessageCount'
  | 'cumulativeToolCallCount'
  | 'cumulativeInputTokens'
  | 'cumulativeOutputTokens'
>

/** A number that was not recorded is absent, not 0. */
function toCounts({ messages, toolCalls, userTurns, usage }: Transcript): Counts {
  return {
    messageCount: messages.length,
    ...(userTurns !== undefined && { cumulativeUserMessageCount: userTurns }),
    cumulativeToolCallCount: toolCalls.length,
    ...(usage?.inputTokens !== undefined && { cumulativeInputTokens: usage.inputTokens }),
    ...(usage?.outputTokens !== undefined && { cumulativeOutputTokens: usage.outputTokens }),
  }
}

function toSpan(span: TraceSpan, toolCalls: readonly ToolCallRecord[]): SessionSpan {
  const { spanId, name, kind, stepId, startedAt, durationMs, status } = span
  const common = { name, kind, startedAt, durationMs, status }
  if (kind === 'step') return { ...common, key: stepId, attributes: { 'mcpdeck.eval.step.id': stepId } }
  const call = toolCalls[Number(spanId.slice(spanId.lastIndexOf('-') + 1)) - 1]
  return {
    ...common,
    key: spanId,
    parent: stepId,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      ...(call && { 'gen_ai.tool.name': call.toolName, 'mcpdeck.server.name': call.serverName }),
    },
    ...(call && { content: { input: call.arguments, output: call.result ?? call.error } }),
  }
}

export const journeySessions: SessionSource = {
  sourceType: 'swarm',
  rows: (store, projectId, { status, ...filter }) =>
    status === 'archived'
      ? []
      : store.journeySessions
          .feed(projectId, filter)
          .map(row => toJourneySession(row, store.journeySessions.messages(row.id))),
}

const STATUS = { pending: 'unset', running: 'unset', succeeded: 'ok', failed: 'error', rate_limited: 'error' } as const

function toJourneySession(row: JourneyFeedRow, messages: readonly JourneyMessageRow[]): SessionRow {
  const { plan, attempt } = row
  const target = plan.targets[attempt.targetPosition]
  return {
    summary: toJourneySummary(row),
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

function toJourneySummary(row: JourneyFeedRow): SessionRow['summary'] {
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

export const visitorSessions: SessionSource = {
  sourceType: 'scenario',
  rows: (store, projectId, { status, order, after, endedOnly, limit }) => {
    if (status === 'archived') return []
    const overSince = endedOnly ? Date.now() - SESSION_IDLE_MS : undefined
    return store.visitorSessions
      .feed(projectId, { order, after, overSince, limit })
      .map(row => toVisitorSession(projectId, row, store.visitorSessions.messages.all(row.id)))
  },
}

/**
 * Returns the key that the runtime uses for a visitor's session or a chat. The contract distinguishes it from the id of
 * the row.
 */
export function chatSessionIdOf(id: string): string {
  return id.replace(/^ses_/, 'chat_')
}

function toVisitorSession(projectId: string, row: VisitorFeedRow, messages: VisitorMessageRow[]): SessionRow {
  const { id, scenarioId, scenarioName, preview, startedAt, lastActivityAt, modelId, messageCount } = row
  const chatSessionId = chatSessionIdOf(id)
  const failure = messages.findLast(({ role }) => role === 'system')
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const isFailed = failure !== undefined && failure.position > (answer?.position ?? -1)
  return {
    summary: {
      id,
      chatSessionId,
      projectId,
      sourceType: 'scenario',
      origin: 'link',
      status: 'active',
      synthetic: false,
      lockReason: null,
      title: `${scenarioName}: ${row.displayName ?? 'a guest'}`,
      firstMessagePreview: oneLine(preview ?? ''),
      visibility: 'project',
      ownedByViewer: false,
      startedAt,
      lastActivityAt,
      modelId,
      messageCount,
      cumulativeUserMessageCount: messages.filter(({ role }) => role === 'user').length,
      cumulativeToolCallCount: row.toolCallCount,
      parentRef: { kind: 'scenario', label: scenarioName, scenarioId },
      link: sessionLink(`projects/${projectId}/scenarios/${scenarioId}?tab=sessions&sessionId=${id}`),
    },
    messages: messages
      .filter(({ role }) => role === 'user' || role === 'assistant')
      .map(({ role, text }) => ({ role, content: text })),
    finalText: answer?.text ?? '',
    spans: () => messages.filter(({ role }) => role === 'tool').map(toVisitorSpan),
    status: isFailed ? 'error' : answer ? 'ok' : 'unset',
    ...(isFailed && { error: failure.text }),
    attributes: {
      'mcpdeck.scenario.id': scenarioId,
      'mcpdeck.scenario.session.id': id,
      'mcpdeck.visitor.auth': row.authType,
    },
  }
}

/** Converts a visitor's call to a span. Its arguments and results are not stored. */
function toVisitorSpan(call: VisitorMessageRow): SessionSpan {
  const { position, toolName, serverName, isError, durationMs, createdAt } = call
  return {
    key: `call-${position}`,
    name: toolName ?? '',
    kind: 'toolCall',
    startedAt: createdAt - Math.round(durationMs ?? 0),
    durationMs: durationMs ?? 0,
    status: isError ? 'error' : 'ok',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName ?? '',
      'mcpdeck.server.name': serverName ?? '',
    },
  }
}
