import { parseInner, isPlainObject } from '../../lib/json.ts'

type Fields = Readonly<Record<string, unknown>>
type Span = {
  id: unknown
  traceId: unknown
  parent: unknown
  name: string
  startedAt: number
  durationMs: number
  isError: boolean
  attributes: Fields
}

const MESSAGES = 'gen_ai.input.messages'
const ANSWERS = 'gen_ai.output.messages'

/**
 * Returns the messages and calls of one session, from a page of a trace export with content. They are in the format of
 * model providers, with calls before the answer they led to.
 * @param ids ids that the session may have there
 * @returns undefined if the page does not contain the session
 */
export function messagesOfSession(page: unknown, ids: readonly string[]): Fields[] | undefined {
  const spans = spansOf(page)
  const root = spans.find(span => namesOf(span).some(name => ids.includes(name)))
  if (!root) return undefined
  const own = spans.filter(each => each !== root && each.traceId === root.traceId)
  const said = messagesAt(root, MESSAGES)
  const answers = messagesAt(root, ANSWERS).filter(answer => !isSame(answer, said.at(-1)))
  return withCalls([...said, ...answers], own)
}

/** Returns the sessions of a page in order, each with all its ids. */
export function sessionsOnPage(page: unknown): string[][] {
  const traces = new Map<unknown, string[]>()
  for (const span of spansOf(page)) traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), ...namesOf(span)])
  return [...traces.values()]
}

function namesOf({ attributes }: Span): string[] {
  return ['session.id', 'gen_ai.conversation.id'].flatMap(name => {
    const value = attributes[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : []
  })
}

function spansOf(page: unknown): Span[] {
  return fieldsAt(page, 'resourceSpans')
    .flatMap(resource => fieldsAt(resource, 'scopeSpans'))
    .flatMap(scope => fieldsAt(scope, 'spans'))
    .map(toSpan)
}

function toSpan(span: Fields): Span {
  const startedAt = epochMs(span['startTimeUnixNano'])
  return {
    id: span['spanId'],
    traceId: span['traceId'],
    parent: span['parentSpanId'],
    name: typeof span['name'] === 'string' ? span['name'] : 'span',
    startedAt,
    durationMs: Math.max(0, epochMs(span['endTimeUnixNano']) - startedAt),
    isError: isPlainObject(span['status']) && span['status']['code'] === 2,
    attributes: Object.fromEntries(
      fieldsAt(span, 'attributes').map(({ key, value }) => [String(key), attributeValue(value)]),
    ),
  }
}

function fieldsAt(value: unknown, name: string): Fields[] {
  const list = isPlainObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list.filter(isPlainObject) : []
}

function attributeValue(value: unknown): unknown {
  return isPlainObject(value) ? (value['stringValue'] ?? value['intValue'] ?? value['boolValue']) : value
}

/** Converts nanoseconds given as text; unreadable values become 0. */
function epochMs(nanoseconds: unknown): number {
  const text = typeof nanoseconds === 'number' ? String(nanoseconds) : nanoseconds
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? Number(BigInt(text) / 1_000_000n) : 0
}

function messagesAt({ attributes }: Span, name: string): Fields[] {
  const parsed = parseJson(attributes[name])
  return Array.isArray(parsed) ? parsed.filter(isPlainObject) : []
}

function parseJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseInner(value)
  } catch {
    return value
  }
}

function isSame(one: Fields, other: Fields | undefined): boolean {
  return other !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

/** Puts calls before the answer they led to, if the trace has as many steps as answers; otherwise at the end. */
function withCalls(messages: readonly Fields[], spans: readonly Span[]): Fields[] {
  const calls = spans.filter(({ attributes }) => isCall(attributes))
  const steps = spans.filter(({ attributes }) => !isCall(attributes)).toSorted((a, b) => a.startedAt - b.startedAt)
  const answers = messages.filter(({ role }) => role === 'assistant')
  const isAligned = steps.length === answers.length
  const byParent = Map.groupBy(calls, ({ parent }) => parent)
  const parents = new Set(steps.map(({ id }) => id))
  const rest = isAligned ? calls.filter(({ parent }) => !parents.has(parent)) : calls
  let answer = 0
  const placed = messages.flatMap(message => {
    if (message['role'] !== 'assistant') return [message]
    const step = isAligned ? steps[answer] : undefined
    answer += 1
    return [...callMessages(step === undefined ? [] : (byParent.get(step.id) ?? [])), message]
  })
  return [...placed, ...callMessages(rest)]
}

function isCall(attributes: Fields): boolean {
  return attributes['gen_ai.operation.name'] === 'execute_tool' || 'gen_ai.tool.name' in attributes
}

function callMessages(calls: readonly Span[]): Fields[] {
  if (calls.length === 0) return []
  return [{ role: 'assistant', toolCalls: calls.toSorted((a, b) => a.startedAt - b.startedAt).map(toCall) }]
}

function toCall({ name, attributes, startedAt, durationMs, isError }: Span): Fields {
  const server = Object.keys(attributes).find(key => key.endsWith('server.name'))
  return {
    toolName: attributes['gen_ai.tool.name'] ?? name,
    serverName: server && attributes[server],
    arguments: parseJson(attributes['gen_ai.tool.call.arguments']),
    result: parseJson(attributes['gen_ai.tool.call.result']),
    isError,
    startedAt,
    durationMs,
  }
}
