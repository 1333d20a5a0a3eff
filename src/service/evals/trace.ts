import type { EvalStepVerdict } from '../../api/contract/iterations.ts'
import { defined } from '../../lib/json.ts'
import { matchToolCalls } from './call-matching.ts'
import { toStepRows, type TrialRow } from './iteration.ts'
import type { SeenTools } from './seen-tools.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { CaseSnapshot, ExpectedToolCall, ToolCallRecord, TrialOutcome } from './types.ts'

/** A step that began, or a tool call. */
export type TraceSpan = {
  spanId: string
  name: string
  kind: 'step' | 'toolCall'
  stepId: string
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  status: 'ok' | 'error' | 'unset'
}

type CallDifference = { expected: ExpectedToolCall; actual: ToolCallRecord }

/**
 * The trace of one trial (contract: "Trace document", not defined there). It has a version, so that readers can tell
 * formats apart.
 */
export type TraceDocument = {
  version: 1
  iterationId: string
  case: { caseKey: string; title: string }
  class: TrialClass
  error: string | null
  startedAt: number
  durationMs: number
  messages: TrialOutcome['transcript']['messages']
  finalText: string
  usage: TrialOutcome['transcript']['usage'] | null
  toolCalls: {
    expected: ExpectedToolCall[]
    actual: ToolCallRecord[]
    matched: CallDifference[]
    missing: ExpectedToolCall[]
    extra: ToolCallRecord[]
    /** Calls of the expected tool with other arguments. `keys` names those arguments. */
    argumentDifferences: (CallDifference & { keys: string[] })[]
    outOfOrder: CallDifference[]
  }
  steps: EvalStepVerdict[]
  checks: TrialOutcome['checks']
  spans: TraceSpan[]
  /** Why the first execution of the trial was aborted; absent if the trial was executed only once. */
  ranAgainAfter?: string
  /** The tools that the run's servers had during the trial; empty if they were not recorded. */
  toolsSeen: SeenTools[]
}

export function toTrace(row: TrialRow & { outcome: TrialOutcome }, toolsSeen: SeenTools[] = []): TraceDocument {
  const { outcome } = row
  return {
    version: 1,
    iterationId: row.id,
    case: { caseKey: row.case.caseKey, title: row.case.title },
    class: outcome.class,
    error: outcome.error ?? null,
    startedAt: outcome.startedAt,
    durationMs: outcome.durationMs,
    messages: outcome.transcript.messages,
    finalText: outcome.transcript.finalText,
    usage: outcome.transcript.usage ?? null,
    toolCalls: analyseCalls(row.case, outcome),
    steps: toStepRows(row),
    checks: outcome.checks,
    spans: toSpans(outcome),
    ...defined({ ranAgainAfter: outcome.ranAgainAfter }),
    toolsSeen,
  }
}

function analyseCalls(snapshot: CaseSnapshot, outcome: TrialOutcome): TraceDocument['toolCalls'] {
  const expected = outcome.expectedToolCalls
  const actual = outcome.transcript.toolCalls
  const found = matchToolCalls(expected, actual, snapshot.matchOptions ?? {})
  const expectedAt = (index: number) => expected[index] as ExpectedToolCall
  const actualAt = (index: number) => actual[index] as ToolCallRecord
  const pair = ({ expectedIndex, actualIndex }: { expectedIndex: number; actualIndex: number }) => ({
    expected: expectedAt(expectedIndex),
    actual: actualAt(actualIndex),
  })
  return {
    expected,
    actual,
    matched: found.matched.map(pair),
    missing: found.missing.map(expectedAt),
    extra: found.extra.map(actualAt),
    argumentDifferences: found.argumentDifferences.map(entry => ({ ...pair(entry), keys: entry.keys })),
    outOfOrder: found.outOfOrder.map(pair),
  }
}

function toSpans({ steps, transcript }: TrialOutcome): TraceSpan[] {
  const ofSteps = steps.flatMap(step => {
    const { stepId, kind, startedAt, durationMs, status } = step
    if (startedAt === undefined || durationMs === undefined) return []
    const spanStatus = status === 'fail' ? 'error' : status === 'ok' ? 'ok' : 'unset'
    return [{ spanId: stepId, name: kind, kind: 'step', stepId, startedAt, durationMs, status: spanStatus } as const]
  })
  const ofCalls = transcript.toolCalls.map(({ stepId, serverName, toolName, startedAt, durationMs, error }, index) => ({
    spanId: `${stepId}/call-${index + 1}`,
    name: serverName === undefined ? toolName : `${serverName}/${toolName}`,
    kind: 'toolCall' as const,
    stepId,
    startedAt,
    durationMs,
    status: error === undefined ? ('ok' as const) : ('error' as const),
  }))
  return [...ofSteps, ...ofCalls].toSorted((left, right) => left.startedAt - right.startedAt)
}
