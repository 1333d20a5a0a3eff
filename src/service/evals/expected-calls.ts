import { isPlainObject } from '../../api/contract/shapes.ts'
import { assertions, isAssertionName } from '../../api/contract/assertions.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { CaseSnapshot, ExpectedToolCall } from './types.ts'

/** More repetitions of one expected call would only swell rows: the assertion itself counts. */
const MAX_REPEATS = 50

/**
 * The calls that a case asks for, in authored order: its `toolCalledWith` (as often as `minCount`) and
 * `toolCalledAtLeastOnce` assertions, steps before checks. One call can satisfy several assertions, so an identical
 * expectation counts once, and "at least once" only where nothing else expects that tool.
 */
export function expectedToolCalls(snapshot: Pick<CaseSnapshot, 'steps' | 'checks'>): ExpectedToolCall[] {
  const authored: unknown[] = [...snapshot.steps.map(step => step.assertion), ...snapshot.checks]
  const wanted = authored.flatMap(toExpectation)
  const specific = new Set(wanted.filter(({ loose }) => !loose).map(({ call }) => call.toolName))
  const distinct = new Map<string, { call: ExpectedToolCall; count: number }>()
  for (const { call, count, loose } of wanted) {
    if (loose && specific.has(call.toolName)) continue
    const key = canonicalJson(call)
    const known = distinct.get(key)
    if (known) known.count = Math.max(known.count, count)
    else distinct.set(key, { call, count })
  }
  return [...distinct.values()].flatMap(({ call, count }) => Array.from({ length: count }, () => call))
}

function toExpectation(assertion: unknown): { call: ExpectedToolCall; count: number; loose: boolean }[] {
  const { type, ...fields } = (assertion ?? {}) as Record<string, unknown>
  if (!isAssertionName(type)) return []
  if (type === 'toolCalledAtLeastOnce') {
    const parsed = assertions.toolCalledAtLeastOnce.fields().safeParse(fields)
    if (!parsed.success) return []
    const call = { toolName: parsed.data.toolName, arguments: {}, argumentMatching: 'ignore' as const }
    return [{ call, count: 1, loose: true }]
  }
  if (type !== 'toolCalledWith') return []
  const parsed = assertions.toolCalledWith.fields().safeParse(fields)
  if (!parsed.success) return []
  const { toolName, args, minCount } = parsed.data
  const call = {
    toolName,
    arguments: args.args,
    ...(args.argumentMatching && { argumentMatching: args.argumentMatching }),
  }
  return [{ call, count: Math.min(minCount, MAX_REPEATS), loose: false }]
}

/** What a message says: plain text, or the text parts of one that has several. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? (content as unknown[]) : []
  return parts
    .flatMap(part => (isPlainObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n')
}
