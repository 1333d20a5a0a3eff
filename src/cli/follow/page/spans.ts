import type { EvalIteration, EvalStepVerdict } from '../../../api/contract/iterations.ts'
import { traceOf } from '../../../components/transcript/trace-document.ts'
import type { TraceNode } from '../../../components/transcript/trace-nodes.ts'
import { BOUNDS } from '../../../lib/bounds.ts'

/** A bar of the waterfall. Times are milliseconds, `at` since the first of them. */
export type PageSpan = { name: string; depth: number; status: string; at: number; ms: number }

/** The recorded trace of a trial with the verdicts of its steps. */
export type TrialTrace = { document: unknown; steps: readonly EvalStepVerdict[] }

/** Returns the parts of a trace that have times, in their order, each below the one that contains it. */
export function spansOfTrace({ document, steps }: TrialTrace, trial: EvalIteration): PageSpan[] {
  const { nodes } = traceOf(document, steps, trial)
  return fromStart(flattened(nodes, 0))
}

/** Returns the calls that a trial lists, if it says when they were made. */
export function spansOfCalls({ actualToolCalls }: EvalIteration): PageSpan[] {
  const spans = (actualToolCalls ?? []).map((call): Timed => {
    const { toolName, startedAt, durationMs, error } = call
    return { name: String(toolName), depth: 0, status: error == null ? 'ok' : 'error', startedAt, durationMs }
  })
  return fromStart(spans)
}

type Timed = { name: string; depth: number; status: string; startedAt: unknown; durationMs: unknown }

function flattened(nodes: readonly TraceNode[], depth: number): Timed[] {
  return nodes.flatMap(({ name, status, startedAt, durationMs, children }) => [
    { name, depth, status, startedAt, durationMs },
    ...flattened(children, depth + 1),
  ])
}

function fromStart(spans: readonly Timed[]): PageSpan[] {
  const timed = spans.flatMap(({ startedAt, durationMs, ...span }) =>
    isTime(startedAt) && isTime(durationMs) ? [{ ...span, at: startedAt, ms: durationMs }] : [],
  )
  const start = timed.reduce((least, { at }) => Math.min(least, at), Infinity)
  return timed.slice(0, BOUNDS.pageParts.most).map(span => ({ ...span, at: span.at - start }))
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
