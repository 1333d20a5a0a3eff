import { ApiError, protocolErrorOf } from '../../api/client/errors/api-error.ts'
import { describeError, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { callStatusWord } from '../../api/contract/calls.ts'
import { ownValue } from '../../lib/own-value.ts'
import { formatAgo, formatCount, formatDuration } from '../../lib/format.ts'
import { jsonNode, openDepth } from '../../components/json/json-tree.ts'
import { fieldLines } from '../../components/lines.ts'
import {
  contentNodes,
  isMarkdown,
  MOST_MARKDOWN,
  resourceNodes,
  type ContentLook,
} from '../../components/transcript/content.ts'
import { binaryOf, blobOf } from '../../components/transcript/binary-content.ts'
import { messageRows } from '../../components/transcript/messages.ts'
import { transcriptNodes } from '../../components/transcript/transcript-nodes.ts'
import type { Line } from '../../components/viewer.tsx'
import type { BinaryContent, OutlineNode } from '../../components/viewer/outline-tree.ts'
import { linesNode, section } from '../../components/viewer/sections.ts'
import { textSource } from '../../components/viewer/source.ts'
import type { Answer, CallRecord } from '../../domain/calls/call-log.ts'
import { callDuration, StoredFailure, statusOf, type CallStatus } from '../../domain/calls/listed-calls.ts'
import { mismatchText } from '../../domain/servers/findings.ts'
import { shorten } from './json-text.ts'
import { runningLines } from './running-call.ts'
import type { Look } from '../../tui/theme/theme.ts'
import { isPlainObject, parseExact, type JsonObject } from '../../lib/json.ts'
/** Maximum length of the service's message that is laid out; the cut says how much is missing. */
const MOST_TEXT = 20_000

export const KIND_WORDS: Record<Answer['kind'], string> = { tool: 'call', prompt: 'prompt', resource: 'resource' }
/** Labels of the field for the called tool, rendered prompt or read resource. */
const TARGET_FIELDS: Record<Answer['kind'], string> = { tool: 'Tool', prompt: 'Prompt', resource: 'Resource' }

const DOUBT = { symbol: 'warn', tone: 'warn' } as const
const LOOKS: Readonly<Record<string, Omit<Look, 'word'>>> = {
  running: { symbol: 'live', tone: 'live' },
  answered: { symbol: 'ok', tone: 'ok' },
  tool_error: { symbol: 'error', tone: 'error' },
  failed: { symbol: 'error', tone: 'error' },
  given_up: { symbol: 'cancelled', tone: 'warn' },
  unknown: DOUBT,
}

/** Returns the look of a call's status; a status that this version does not know is shown as unknown. */
export function callLook(status: CallStatus): Look {
  return { ...(ownValue(LOOKS, status) ?? DOUBT), word: callStatusWord(status) }
}

/**
 * Returns a call with its result: state, time, arguments, contents, and the answer as received.
 * @param fault why the result differs from what the tool promises
 * @param lost the state that the server had lost when it answered
 */
export function callNodes(
  record: CallRecord,
  look: ContentLook,
  now: number,
  { fault, lost }: { fault?: string | undefined; lost?: string | undefined } = {},
): OutlineNode[] {
  return [
    ...headNodes(record, look, now),
    ...(fault === undefined
      ? []
      : [linesNode('fault', [{ text: mismatchText(shorten(fault, 300)), tone: 'error' }, ''])]),
    ...(lost === undefined ? [] : [linesNode('lost', [{ text: `${look.symbols.warn} ${lost}`, tone: 'warn' }, ''])]),
    ...outcomeNodes(record, look, now),
  ]
}

/** Returns what is known of a call before its answer: state, time, arguments. */
function headNodes(record: CallRecord, look: Pick<ContentLook, 'symbols'>, now: number): OutlineNode[] {
  const state = callLook(statusOf(record))
  const took = callDuration(record)
  const fields = fieldLines([
    ['State', `${look.symbols[state.symbol]} ${state.word}`, state.tone],
    [
      'Took',
      took && `${formatDuration(took.ms)}, ${took.by === 'service' ? 'as the service measured' : 'measured here'}`,
    ],
    ['Server', record.serverName],
    [TARGET_FIELDS[record.kind], record.target],
    ['Started', formatAgo(record.startedAt, now)],
  ])
  const why = record.incomplete ? [{ text: INCOMPLETE[record.incomplete] ?? '', tone: 'warn' as const }, ''] : []
  return [linesNode('fields', [...fields, '', ...why]), ...inputNodes(record.input)]
}

/** Reasons why stored arguments cannot be sent again unchanged. */
export const INCOMPLETE: Record<string, string> = {
  secrets: 'Secrets in the arguments were not stored.',
  size: 'The arguments were too large to store.',
}

function inputNodes(input: JsonObject | undefined): OutlineNode[] {
  if (!input || Object.keys(input).length === 0) return []
  return [section('arguments', 'Arguments', () => [opened(input, 'arguments/value')])]
}

function opened(value: unknown, id: string): OutlineNode {
  return jsonNode(value, { id, open: openDepth(value) })
}

function outcomeNodes(record: CallRecord, look: ContentLook, now: number): OutlineNode[] {
  const { outcome, kind } = record
  if (outcome.state === 'running') return [linesNode('waiting', runningLines(record, look.symbols, now))]
  if (outcome.state === 'failed') {
    const lines = (kind === 'tool' && cancelledLines(outcome.error)) || failureLines(outcome.error, kind)
    return [linesNode('failure', lines), ...protocolNodes(outcome.error)]
  }
  if (outcome.state === 'withheld') {
    const text = `Its result of ${formatCount(outcome.bytes)} bytes was too large to store.`
    return [linesNode('withheld', [{ text, tone: 'warn' }])]
  }
  return [...answerNodes(outcome.answer, look), receivedNode(outcome.text)]
}

/** Explains a cancelled call: after it was sent it may have had any effect; undefined if it ended otherwise. */
function cancelledLines(error: unknown): Line[] | undefined {
  if (!(error instanceof ApiError) || error.kind !== 'aborted' || !error.sent) return undefined
  return [
    { text: 'Cancelled', tone: 'warn' },
    { text: 'What the server did until then, and whether it stopped, is not known.', indent: 2 },
    { text: 'Check that before you call it again.', indent: 2, tone: 'muted' },
  ]
}

/** Returns our sentence for the error and, if it comes from the service, its own message. */
function failureLines(error: unknown, kind: Answer['kind']): Line[] {
  if (error instanceof StoredFailure) {
    const isOpen = kind === 'tool' && error.status !== 'failed'
    return [
      { text: shorten(error.message, MOST_TEXT), tone: 'error' },
      ...(isOpen ? [{ text: 'The call may have happened on the server.', indent: 2 }] : []),
    ]
  }
  const problem = describeError(error)
  const said = unquotedMessage(error)
  return [
    { text: problem.title, tone: 'error' },
    { text: problem.sentence, indent: 2 },
    { text: problem.next, indent: 2, tone: 'muted' },
    ...(said ? [{ text: `The service says: ${shorten(said, MOST_TEXT)}`, indent: 2 }] : []),
  ]
}

/** Returns data and frame of a JSON-RPC error; its code and message are in the sentence. */
function protocolNodes(failure: unknown): OutlineNode[] {
  const answer = protocolErrorOf(failure)
  if (!answer) return []
  const { error, frame } = answer
  return [
    ...(error.data === undefined
      ? []
      : [section('error-data', 'Error data', () => [opened(error.data, 'error-data/value')])]),
    ...(frame === undefined ? [] : [receivedNode(JSON.stringify(frame))]),
  ]
}

function answerNodes(answer: Answer, look: ContentLook): OutlineNode[] {
  if (answer.kind === 'tool') {
    const { content, structuredContent } = answer.value
    return [
      section('content', 'Content', () => contentNodes(content ?? [], 'content', look)),
      ...(structuredContent === undefined
        ? []
        : [section('structured', 'Structured content', () => [opened(structuredContent, 'structured/value')])]),
    ]
  }
  if (answer.kind === 'prompt') {
    const rows = messageRows(answer.value.messages, 'messages')
    return [section('messages', 'Messages', () => transcriptNodes(rows, look))]
  }
  const { contents } = answer.value
  return [
    section('contents', 'Contents', () =>
      contents.length === 0
        ? contentNodes([], 'contents', look)
        : contents.flatMap((content, index) => resourceNodes(content, `contents/${index}`, look)),
    ),
  ]
}

/** Returns the body with every field as received; laid out when it is unfolded, as text if it is not JSON. */
function receivedNode(text: string): OutlineNode {
  const id = 'received'
  return {
    id,
    head: { text: 'As received', tone: 'accent' },
    isFlat: true,
    children: () => [receivedValue(text, `${id}/value`)],
    copy: () => text,
  }
}

function receivedValue(text: string, id: string): OutlineNode {
  try {
    return opened(parseExact(text), id)
  } catch {
    return { id, body: () => textSource(text) }
  }
}

/** Returns the picture, sound or file in a result, if there is only one. */
export function onlyFile(outcome: CallRecord['outcome']): BinaryContent | undefined {
  if (outcome.state !== 'answered') return undefined
  const { kind, value } = outcome.answer
  const blocks = kind === 'tool' ? (value.content ?? []) : kind === 'prompt' ? value.messages : value.contents
  const files = blocks.flatMap(block => {
    if (kind === 'resource') return blobOf(block) ?? []
    return [kind === 'prompt' ? block['content'] : block].flat().flatMap(each => binaryOf(each) ?? [])
  })
  return files.length === 1 ? files[0] : undefined
}

/** Whether the result contains Markdown, so that its source can be shown. */
export function hasMarkdown({ outcome }: CallRecord): boolean {
  if (outcome.state !== 'answered') return false
  const { answer } = outcome
  if (answer.kind === 'prompt') return true
  if (answer.kind === 'resource') return answer.value.contents.some(each => isMarkdown(each.mimeType, each.uri))
  return (answer.value.content ?? []).some(declaresMarkdown)
}

/**
 * Returns a resource that is one Markdown text too long for the document: it is parsed piece by piece, in its own view.
 */
export function longMarkdown({ outcome }: CallRecord): string | undefined {
  if (outcome.state !== 'answered' || outcome.answer.kind !== 'resource') return undefined
  const [content, ...others] = outcome.answer.value.contents
  if (!content || others.length > 0 || !isMarkdown(content.mimeType, content.uri)) return undefined
  return content.text != null && content.text.length > MOST_MARKDOWN ? content.text : undefined
}

function declaresMarkdown(block: unknown): boolean {
  if (!isPlainObject(block)) return false
  const { mimeType, resource } = block
  return isPlainObject(resource) ? isMarkdown(resource['mimeType'], resource['uri']) : isMarkdown(mimeType)
}
