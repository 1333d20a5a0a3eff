import type { EvalIteration, EvalStepVerdict } from '../../api/contract/iterations.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { callOf, messageRows } from './messages.ts'
import type { Trace, TraceNode } from './trace-nodes.ts'
import type { ToolCall } from './transcript-rows.ts'
import { defined, isPlainObject, type JsonObject } from '../../lib/json.ts'

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : []
}

function firstOf<T>(item: JsonObject, type: 'string' | 'number', keys: readonly string[]): T | undefined {
  const key = keys.find(name => typeof item[name] === type)
  return key === undefined ? undefined : (item[key] as T)
}

type Span = {
  id: string | undefined
  parent: string | undefined
  name: string
  isCall: boolean
  status: string
  startedAt: number | undefined
  durationMs: number | undefined
  raw: JsonObject
}

/**
 * Returns the trace of a trial from the recorded document, whose format is open, and the verdicts of the authored
 * steps. If the document has no calls, the trial's own calls are used. Spans are read with the field names of several
 * recorders.
 */
export function traceOf(
  document: unknown,
  steps: readonly EvalStepVerdict[],
  trial?: Pick<EvalIteration, 'actualToolCalls'>,
): Trace {
  const recorded = isPlainObject(document) ? document : {}
  const spans = objectsOf(recorded['spans']).map(toSpan)
  const calls = actualCalls(recorded, trial)
  const nodes = assemble(
    spans,
    calls,
    [...steps].sort((a, b) => a.stepIndex - b.stepIndex),
  )
  const startedAt = firstOf<number>(recorded, 'number', ['startedAt', 'startMs'])
  const durationMs = lengthOf(firstOf<number>(recorded, 'number', ['durationMs']))
  return {
    nodes,
    messages: messageRows(Array.isArray(recorded['messages']) ? recorded['messages'] : [], 'messages'),
    raw: document,
    ...defined({ startedAt, durationMs }),
  }
}

function toSpan(raw: JsonObject): Span {
  const kind = firstOf<string>(raw, 'string', ['kind', 'category', 'type']) ?? 'span'
  const startedAt = firstOf<number>(raw, 'number', ['startedAt', 'startMs', 'startTime'])
  const endedAt = firstOf<number>(raw, 'number', ['endedAt', 'endMs', 'endTime'])
  const isCall = /^tool/i.test(kind)
  const own = firstOf<string>(raw, 'string', ['parentId', 'parentSpanId'])
  return {
    id: firstOf<string>(raw, 'string', ['spanId', 'id']),
    parent: own ?? (isCall ? firstOf<string>(raw, 'string', ['stepId']) : undefined),
    name: firstOf<string>(raw, 'string', ['name', 'toolName']) ?? kind,
    isCall,
    status: firstOf<string>(raw, 'string', ['status']) ?? 'unset',
    startedAt,
    durationMs: lengthOf(
      firstOf<number>(raw, 'number', ['durationMs']) ??
        (startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : undefined),
    ),
    raw,
  }
}

function lengthOf(milliseconds: number | undefined): number | undefined {
  return milliseconds !== undefined && milliseconds >= 0 ? milliseconds : undefined
}

/**
 * Returns the calls that the trace lists, per prompt or together. Without any, returns the calls that the trial lists.
 */
function actualCalls(recorded: JsonObject, trial: Pick<EvalIteration, 'actualToolCalls'> | undefined): JsonObject[] {
  const { toolCalls, prompts } = recorded
  if (isPlainObject(toolCalls)) return objectsOf(toolCalls['actual'])
  if (Array.isArray(toolCalls)) return objectsOf(toolCalls)
  const ofPrompts = objectsOf(prompts).flatMap(prompt => objectsOf(prompt['actualToolCalls'] ?? prompt['actual']))
  return ofPrompts.length > 0 ? ofPrompts : objectsOf(trial?.actualToolCalls)
}

function assemble(
  spans: readonly Span[],
  calls: readonly JsonObject[],
  steps: readonly EvalStepVerdict[],
): TraceNode[] {
  const callFor = callFinder(calls)
  const stepIds = new Set(steps.map(step => step.stepId))
  const ids = new Set(spans.flatMap(span => (span.id === undefined ? [] : [span.id])))
  const below = Map.groupBy(
    spans.filter(span => !(span.id !== undefined && stepIds.has(span.id))),
    span =>
      span.parent !== undefined && span.parent !== span.id && (stepIds.has(span.parent) || ids.has(span.parent))
        ? span.parent
        : undefined,
  )
  const placed = new Set<Span>()
  const nodeOf = (span: Span, id: string, level: number): TraceNode => {
    placed.add(span)
    // A recorder may nest without an end, the stack does not.
    const children = span.id === undefined || level >= BOUNDS.traceLevels.most ? [] : within(span.id, id, level)
    return { ...spanNode(span, id, span.isCall ? callFor(span) : undefined), children }
  }
  const within = (parent: string | undefined, id: string, level = 0): TraceNode[] =>
    // Spans with the same id share their children, which may have been placed already.
    (below.get(parent) ?? []).flatMap((span, index) =>
      placed.has(span) ? [] : [nodeOf(span, `${id}/${index}`, level + 1)],
    )
  const bySteps = steps.map((step, index): TraceNode => {
    const id = `step-${index}`
    const span = spans.find(candidate => candidate.id === step.stepId)
    return { ...stepNode(step, id, span), children: within(step.stepId, id) }
  })
  const others = within(undefined, 'span')
  // Spans that are each other's parents, or nested too deep, are never reached.
  const lost = spans.filter(span => !placed.has(span) && !(span.id !== undefined && stepIds.has(span.id)))
  const rest = lost.map((span, index): TraceNode => ({ ...spanNode(span, `lost-${index}`, undefined), children: [] }))
  return [...withUnspanned(bySteps, callFor.rest(), steps), ...others, ...rest]
}

/** Assigns each call once: to the first span that names its tool. */
function callFinder(calls: readonly JsonObject[]) {
  const left = new Set(calls)
  const find = (span: Span): JsonObject | undefined => {
    for (const call of left) {
      const { toolName } = callOf(call)
      if (span.name !== toolName && !span.name.endsWith(`/${toolName}`)) continue
      left.delete(call)
      return call
    }
    return undefined
  }
  return Object.assign(find, { rest: () => [...left] })
}

function timesOf({ startedAt, durationMs }: { startedAt?: number | undefined; durationMs?: number | undefined }) {
  return defined({ startedAt, durationMs })
}

function spanNode(span: Span, id: string, call: JsonObject | undefined): Omit<TraceNode, 'children'> {
  const toolName = span.name.slice(span.name.lastIndexOf('/') + 1)
  const known: ToolCall | undefined = call ? callOf(call) : span.isCall ? { ...callOf(span.raw), toolName } : undefined
  return {
    id,
    name: span.name,
    status: span.status,
    raw: call ?? span.raw,
    ...timesOf(span),
    ...(known && { call: known }),
    ...(!known && { values: [{ title: 'span', value: span.raw }] }),
  }
}

/** Returns `toolCall greet`, or only the kind if the step's id is the same. */
export function stepName({ kind, stepId }: Pick<EvalStepVerdict, 'kind' | 'stepId'>): string {
  return kind === stepId ? kind : `${kind} ${stepId}`
}

function stepNode(step: EvalStepVerdict, id: string, span: Span | undefined): Omit<TraceNode, 'children'> {
  return {
    id,
    name: stepName(step),
    status: step.status,
    raw: step,
    ...timesOf(span ?? {}),
    ...(step.reason != null && { reason: step.reason }),
    ...(step.evidence != null && { values: [{ title: 'evidence', value: step.evidence }] }),
  }
}

/** Adds calls that no span names to their step, or after all steps. */
function withUnspanned(
  nodes: readonly TraceNode[],
  calls: readonly JsonObject[],
  steps: readonly EvalStepVerdict[],
): TraceNode[] {
  if (calls.length === 0) return [...nodes]
  const callNode = (call: JsonObject, index: number): TraceNode => {
    const known = callOf(call)
    const status = known.error === undefined ? 'ok' : 'error'
    return {
      id: `call-${index}`,
      name: known.toolName,
      status,
      call: known,
      children: [],
      raw: call,
      ...timesOf(known),
    }
  }
  const made = calls.map((call, index) => ({ stepId: call['stepId'], node: callNode(call, index) }))
  const known = new Set<unknown>(steps.map(step => step.stepId))
  return [
    ...nodes.map((node, index) => {
      const own = made.filter(({ stepId }) => stepId === steps[index]!.stepId).map(each => each.node)
      return own.length === 0 ? node : { ...node, children: [...node.children, ...own] }
    }),
    ...made.filter(({ stepId }) => !known.has(stepId)).map(each => each.node),
  ]
}
