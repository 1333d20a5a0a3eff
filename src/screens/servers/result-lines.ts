import { ApiError } from '../../api/client/errors/api-error.ts'
import { isServerFault } from '../../api/client/errors/error-kinds.ts'
import { describeError, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { formatAge, formatDuration } from '../../tui/theme/format.ts'
import { jsonNode, openDepth } from '../../components/json/json-tree.ts'
import { fieldLines } from '../../components/lines.ts'
import {
  contentNodes,
  isMarkdown,
  MOST_MARKDOWN,
  resourceNodes,
  type ContentLook,
} from '../../components/transcript/content.ts'
import { messageRows } from '../../components/transcript/messages.ts'
import { transcriptNodes } from '../../components/transcript/transcript-nodes.ts'
import type { Line } from '../../components/viewer.tsx'
import type { OutlineNode } from '../../components/viewer/outline-tree.ts'
import { linesNode, section } from '../../components/viewer/sections.ts'
import { textSource } from '../../components/viewer/source.ts'
import type { Answer, CallRecord } from '../../domain/calls/call-log.ts'
import { isObject, shorten, type JsonObject } from './json-text.ts'
import { runningLines } from './running-call.ts'
import type { Look } from './status.ts'

/** Longest words of the service that are laid out; the cut names what is missing. */
const MOST_TEXT = 20_000

export const KIND_WORDS: Record<Answer['kind'], string> = { tool: 'call', prompt: 'prompt', resource: 'resource' }

/** How a call stands. A tool's own failure is an answer; a failed request is none, and may leave doubt. */
export function callLook({ outcome }: CallRecord): Look {
  if (outcome.state === 'running') return { symbol: 'live', tone: 'live', word: 'running' }
  if (outcome.state === 'answered')
    return outcome.answer.kind === 'tool' && outcome.answer.value.isError
      ? { symbol: 'error', tone: 'error', word: 'tool error' }
      : { symbol: 'ok', tone: 'ok', word: 'answered' }
  const { error } = outcome
  if (error instanceof ApiError && error.kind === 'aborted')
    return { symbol: 'cancelled', tone: 'warn', word: 'cancelled' }
  return leavesDoubt(error)
    ? { symbol: 'warn', tone: 'warn', word: 'unknown' }
    : { symbol: 'error', tone: 'error', word: 'failed' }
}

/** Whether something may have happened although no answer came: only a call acts, and only one that left. */
function leavesDoubt(error: unknown): boolean {
  if (!(error instanceof ApiError) || !error.sent || error.risk === 'read') return false
  return error.kind !== 'http' || isServerFault(error)
}

/** The time the service says it took, else what was measured here; undefined while it runs. */
export function callDuration({ outcome }: CallRecord): { ms: number; by: 'service' | 'here' } | undefined {
  if (outcome.state === 'running') return undefined
  const told = outcome.state === 'answered' && outcome.answer.kind === 'tool' ? outcome.answer.value.durationMs : null
  return told == null ? { ms: outcome.durationMs, by: 'here' } : { ms: told, by: 'service' }
}

/** A call with all that came of it: state, time, what was sent, the contents, the answer as received. */
export function callNodes(record: CallRecord, look: ContentLook, now: number): OutlineNode[] {
  return [...headNodes(record, look, now), ...outcomeNodes(record, look, now)]
}

/** What is known of a call before its answer: state, time, what was sent. */
function headNodes(record: CallRecord, look: Pick<ContentLook, 'symbols'>, now: number): OutlineNode[] {
  const state = callLook(record)
  const took = callDuration(record)
  const fields = fieldLines([
    ['State', `${look.symbols[state.symbol]} ${state.word}`, state.tone],
    [
      'Took',
      took && `${formatDuration(took.ms)}, ${took.by === 'service' ? 'as the service measured' : 'measured here'}`,
    ],
    ['Server', record.serverName],
    [KIND_WORDS[record.kind], record.target],
    ['Started', startedText(record.startedAt, now)],
  ])
  return [linesNode('fields', [...fields, '']), ...inputNodes(record.input)]
}

function startedText(startedAt: number, now: number): string {
  const age = formatAge(startedAt, now)
  return age === 'now' ? 'just now' : `${age} ago`
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
  if (outcome.state === 'failed')
    return [linesNode('failure', kind === 'tool' ? cancelledLines(outcome.error) : failureLines(outcome.error))]
  return [...answerNodes(outcome.answer, look), receivedNode(outcome.text)]
}

/** A call that was cancelled after it left may have done anything. */
function cancelledLines(error: unknown): Line[] {
  if (!(error instanceof ApiError) || error.kind !== 'aborted' || !error.sent) return failureLines(error)
  return [
    { text: 'Cancelled', tone: 'warn' },
    { text: 'What the server did until then, and whether it stopped, is not known.', indent: 2 },
    { text: 'Check that before you call it again.', indent: 2, tone: 'muted' },
  ]
}

/** Our sentence for the error and, where it comes from the service, its own words. */
function failureLines(error: unknown): Line[] {
  const problem = describeError(error)
  const said = unquotedMessage(error)
  return [
    { text: problem.title, tone: 'error' },
    { text: problem.sentence, indent: 2 },
    { text: problem.next, indent: 2, tone: 'muted' },
    ...(said ? [{ text: `The service says: ${shorten(said, MOST_TEXT)}`, indent: 2 }] : []),
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

/** The body, every field as it came; laid out when it is unfolded, as text where it is no JSON. */
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
    return opened(JSON.parse(text), id)
  } catch {
    return { id, body: () => textSource(text) }
  }
}

/** Whether Markdown is among what came back, so that it can be looked at as it is written. */
export function hasMarkdown({ outcome }: CallRecord): boolean {
  if (outcome.state !== 'answered') return false
  const { answer } = outcome
  if (answer.kind === 'prompt') return true
  if (answer.kind === 'resource') return answer.value.contents.some(each => isMarkdown(each.mimeType, each.uri))
  return (answer.value.content ?? []).some(declaresMarkdown)
}

/** A resource that is one Markdown text, too long to stand among other things: it is read piece by piece, by itself. */
export function longMarkdown({ outcome }: CallRecord): string | undefined {
  if (outcome.state !== 'answered' || outcome.answer.kind !== 'resource') return undefined
  const [content, ...others] = outcome.answer.value.contents
  if (!content || others.length > 0 || !isMarkdown(content.mimeType, content.uri)) return undefined
  return content.text != null && content.text.length > MOST_MARKDOWN ? content.text : undefined
}

function declaresMarkdown(block: unknown): boolean {
  if (!isObject(block)) return false
  const { mimeType, resource } = block
  return isObject(resource) ? isMarkdown(resource['mimeType'], resource['uri']) : isMarkdown(mimeType)
}
