import type { EvalIteration, EvalStepVerdict } from '../../../api/contract/iterations.ts'
import { traceOf } from '../../../components/transcript/trace-document.ts'
import type { TraceNode } from '../../../components/transcript/trace-nodes.ts'
import { isFailedCall } from '../../../domain/runs/causes.ts'
import { BOUNDS } from '../../../lib/bounds.ts'

/** A bar of the waterfall. Times are milliseconds, `at` since the first of them. */
export type PageSpan = { name: string; depth: number; status: string; at: number; ms: number }

/** The recorded trace of a trial with the verdicts of its steps. */
export type TrialTrace = { document: unknown; steps: readonly EvalStepVerdict[] }

/** The first spans, and how many more there are. */
type CutSpans = { spans: PageSpan[]; more: number }

/** Returns the parts of a trace that have times, in their order, each below the one that contains it. */
export function spansOfTrace({ document, steps }: TrialTrace, trial: EvalIteration): CutSpans {
  const { most } = BOUNDS.pageParts
  const { nodes } = traceOf(document, steps, trial)
  const timed = flattened(nodes, 0).flatMap(withTimes)
  return { spans: fromStart(timed.slice(0, most)), more: timed.length - most }
}

/** Returns the calls that a trial lists, if it says when they were made. */
export function spansOfCalls({ actualToolCalls }: EvalIteration): CutSpans {
  const { most } = BOUNDS.pageParts
  const calls = actualToolCalls ?? []
  const spans = calls.slice(0, most).flatMap(call => {
    const { toolName, startedAt, durationMs } = call
    const status = isFailedCall(call) ? 'error' : 'ok'
    return withTimes({ name: String(toolName), depth: 0, status, startedAt, durationMs })
  })
  return { spans: fromStart(spans), more: calls.length - most }
}

type Timed = { name: string; depth: number; status: string; startedAt: unknown; durationMs: unknown }

function flattened(nodes: readonly TraceNode[], depth: number): Timed[] {
  return nodes.flatMap(({ name, status, call, startedAt, durationMs, children }) => [
    { name, depth, status: call && isFailedCall(call) ? 'error' : status, startedAt, durationMs },
    ...flattened(children, depth + 1),
  ])
}

function withTimes({ startedAt, durationMs, ...span }: Timed): PageSpan[] {
  return isTime(startedAt) && isTime(durationMs) ? [{ ...span, at: startedAt, ms: durationMs }] : []
}

function fromStart(spans: readonly PageSpan[]): PageSpan[] {
  const start = spans.reduce((least, { at }) => Math.min(least, at), Infinity)
  return spans.map(span => ({ ...span, at: span.at - start }))
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
