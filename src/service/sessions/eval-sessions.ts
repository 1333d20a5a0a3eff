import type { SessionSummary } from '../../api/contract/sessions.ts'
import { toTrace, type TraceSpan } from '../evals/trace.ts'
import type { ToolCallRecord, Transcript } from '../evals/types.ts'
import type { EvalSessionRow } from './eval-rows.ts'
import { sessionLink, type SessionRow, type SessionSource, type SessionSpan } from './session.ts'

const PREVIEW_LENGTH = 200

/** Trials that have begun are sessions of their runs; nobody archives them. */
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
  // A trial without a prompt begins with nobody's words.
  const prompt = snapshot.steps.find(step => step.prompt !== undefined)?.prompt ?? ''
  const { id, title, startedAt } = trial
  return {
    id,
    // The runtime's key, which the contract keeps apart from the row's.
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

/** A counter that nobody kept is absent, not 0. */
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
