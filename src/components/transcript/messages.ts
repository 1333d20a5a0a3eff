import { defined, parseInner, isPlainObject, type JsonObject } from '../../lib/json.ts'
import type { ToolCall, TranscriptPart, TranscriptRow } from './transcript-rows.ts'

function textAt(item: JsonObject, ...keys: string[]): string | undefined {
  const key = keys.find(name => typeof item[name] === 'string')
  return key === undefined ? undefined : (item[key] as string)
}

function numberAt(item: JsonObject, ...keys: string[]): number | undefined {
  const key = keys.find(name => typeof item[name] === 'number')
  return key === undefined ? undefined : (item[key] as number)
}

/**
 * Returns rows of recorded messages. The format is open: content is a text, an MCP block, or a list of blocks, and
 * calls and results use the words of several model providers. Unknown content is shown as a value.
 */
export function messageRows(messages: readonly unknown[], id: string): TranscriptRow[] {
  return messages.map((message, index): TranscriptRow => {
    const own = `${id}/${index}`
    if (!isPlainObject(message))
      return { id: own, role: 'message', parts: [valuePart('message', message)], raw: message }
    const parts = [...contentParts(message), ...calledTools(message)]
    return {
      id: own,
      role: textAt(message, 'role') ?? 'message',
      parts,
      raw: message,
      ...defined({
        at: numberAt(message, 'createdAt', 'at', 'timestamp'),
        durationMs: numberAt(message, 'durationMs'),
        tokens: numberAt(message, 'tokens', 'totalTokens'),
        by: textAt(message, 'toolName', 'model', 'name'),
      }),
      ...(message['isError'] === true && { isError: true }),
    }
  })
}

function contentParts(message: JsonObject): TranscriptPart[] {
  const content = message['content'] ?? message['text']
  if (content === undefined || content === null || content === '') return []
  // Models and people write Markdown; tool results are plain text unless they say otherwise.
  const format = message['role'] === 'tool' ? 'plain' : 'markdown'
  if (typeof content === 'string') return [{ kind: 'text', text: content, format }]
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.map(block => blockPart(block, format))
}

function blockPart(block: unknown, format: 'markdown' | 'plain'): TranscriptPart {
  if (typeof block === 'string') return { kind: 'text', text: block, format }
  if (!isPlainObject(block)) return valuePart('content', block)
  const type = textAt(block, 'type') ?? ''
  const text = textAt(block, 'text')
  if ((type === 'text' || type === 'reasoning') && text !== undefined) return { kind: 'text', text, format }
  if (type === 'tool-call' || type === 'tool_use') return { kind: 'call', ...callOf(block) }
  if (type === 'tool-result' || type === 'tool_result') return resultPart(block)
  if (Array.isArray(block['content'])) return { kind: 'result', value: block }
  // A call and its result in one block, as a trial without a model records it.
  if (type === '' && textAt(block, 'toolName') !== undefined) return { kind: 'call', ...callOf(block) }
  return type === 'image' || type === 'audio' || type === 'resource' || type === 'resource_link'
    ? { kind: 'result', value: { content: [block] } }
    : valuePart(type || 'content', block)
}

function resultPart(block: JsonObject): TranscriptPart {
  const output = block['output'] ?? block['result'] ?? block['content']
  // Unwraps the AI SDK's wrapper around a tool result.
  const value =
    isPlainObject(output) && 'value' in output && typeof output['type'] === 'string' ? output['value'] : output
  return {
    kind: 'result',
    value,
    ...defined({ toolName: textAt(block, 'toolName', 'name') }),
    ...((block['isError'] === true || block['is_error'] === true) && { isError: true }),
  }
}

function calledTools(message: JsonObject): TranscriptPart[] {
  const calls = message['toolCalls'] ?? message['tool_calls']
  if (!Array.isArray(calls)) return []
  return calls.filter(isPlainObject).map(call => ({ kind: 'call', ...callOf(call) }))
}

/** Returns a recorded tool call, whatever its fields are called. */
export function callOf(call: JsonObject): ToolCall {
  const inner = isPlainObject(call['function']) ? call['function'] : call
  const args = inner['arguments'] ?? inner['args'] ?? inner['input'] ?? inner['parameters']
  const result = call['result'] ?? call['output']
  return {
    toolName: textAt(inner, 'toolName', 'name', 'tool') ?? 'tool',
    raw: call,
    ...(args !== undefined && { arguments: parsed(args) }),
    ...defined({
      serverName: textAt(call, 'serverName', 'serverId'),
      error: textAt(call, 'error'),
      startedAt: numberAt(call, 'startedAt', 'createdAt'),
      durationMs: numberAt(call, 'durationMs'),
    }),
    ...(result !== undefined && result !== null && { result }),
    ...(call['isError'] === true && { isError: true }),
  }
}

/** Some providers send arguments as JSON text. */
function parsed(args: unknown): unknown {
  if (typeof args !== 'string' || args.length > 1_000_000) return args
  try {
    return parseInner(args)
  } catch {
    return args
  }
}

function valuePart(title: string, value: unknown): TranscriptPart {
  return { kind: 'value', title, value }
}
