import { ApiError } from '../../api/api-error.ts'
import { isServerFault } from '../../api/error-advice.ts'
import { describeError } from '../../api/error-text.ts'
import { formatAge, formatDuration } from '../../app/theme/format.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import type { Answer, CallRecord } from './call-log.ts'
import { base64Size, formatSize, isObject, shorten, withShortTexts, type JsonObject } from './json-text.ts'
import type { Look } from './status.ts'

/** Longest text that is laid out; the cut names what is missing. */
const MOST_TEXT = 20_000
const MOST_LINES = 5_000

export const KIND_WORDS: Record<Answer['kind'], string> = {
  tool: 'call',
  prompt: 'prompt',
  resource: 'resource',
}

/** How a call stands. A tool's own failure is an answer; a failed request is none, and may leave doubt. */
export function callLook({ outcome }: CallRecord): Look {
  if (outcome.state === 'running') return { symbol: 'live', tone: 'live', word: 'running' }
  if (outcome.state === 'answered')
    return outcome.answer.kind === 'tool' && outcome.answer.value.isError
      ? { symbol: 'error', tone: 'error', word: 'tool error' }
      : { symbol: 'ok', tone: 'ok', word: 'answered' }
  const { error } = outcome
  if (error instanceof ApiError && error.kind === 'aborted')
    return { symbol: 'cancelled', tone: 'warn', word: 'given up' }
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
  const told =
    outcome.state === 'answered' && outcome.answer.kind === 'tool' ? outcome.answer.value.durationMs : null
  return told == null ? { ms: outcome.durationMs, by: 'here' } : { ms: told, by: 'service' }
}

/** A call with all that came of it: state, time, what was sent, the contents, the answer as received. */
export function callLines(record: CallRecord, symbols: Symbols, now: number): Line[] {
  const look = callLook(record)
  const took = callDuration(record)
  return [
    ...fieldLines([
      ['State', `${symbols[look.symbol]} ${look.word}`, look.tone],
      [
        'Took',
        took &&
          `${formatDuration(took.ms)}, ${took.by === 'service' ? 'as the service measured' : 'measured here'}`,
      ],
      ['Server', record.serverName],
      [KIND_WORDS[record.kind], record.target],
      ['Started', startedText(record.startedAt, now)],
    ]),
    ...inputLines(record.input),
    '',
    ...outcomeLines(record),
  ]
}

function startedText(startedAt: number, now: number): string {
  const age = formatAge(startedAt, now)
  return age === 'now' ? 'just now' : `${age} ago`
}

function inputLines(input: JsonObject | undefined): Line[] {
  if (!input || Object.keys(input).length === 0) return []
  return ['', heading('Arguments'), ...jsonLines(withShortTexts(input, MOST_TEXT), 2)]
}

function outcomeLines({ outcome, kind }: CallRecord): Line[] {
  if (outcome.state === 'running')
    return [{ text: `Waiting for the ${kind === 'tool' ? 'tool’s result' : 'answer'}.`, tone: 'live' }]
  if (outcome.state === 'failed') return failureLines(outcome.error)
  return [...answerLines(outcome.answer), '', heading('As received'), ...receivedLines(outcome.text)]
}

/** Our sentence for the error and, where it comes from the service, its own words. */
function failureLines(error: unknown): Line[] {
  const problem = describeError(error)
  const said = error instanceof ApiError && error.kind === 'http' ? error.message : undefined
  return [
    { text: problem.title, tone: 'error' },
    { text: problem.sentence, indent: 2 },
    { text: problem.next, indent: 2, tone: 'muted' },
    ...(said ? [{ text: `The service says: ${shorten(said, MOST_TEXT)}`, indent: 2 }] : []),
  ]
}

function answerLines(answer: Answer): Line[] {
  if (answer.kind === 'tool') {
    const { content, structuredContent } = answer.value
    return [
      heading('Content'),
      ...blocksLines(content ?? []),
      ...(structuredContent === undefined
        ? []
        : ['', heading('Structured content'), ...jsonLines(withShortTexts(structuredContent, MOST_TEXT), 2)]),
    ]
  }
  if (answer.kind === 'prompt')
    return [
      heading('Messages'),
      ...answer.value.messages.flatMap((message): Line[] => [
        { text: shorten(message.role, 80), tone: 'strong', indent: 2 },
        ...blockLines(message.content, 4),
      ]),
    ]
  return [heading('Contents'), ...answer.value.contents.flatMap(content => contentsLines(content, 2))]
}

function blocksLines(blocks: readonly unknown[]): Line[] {
  if (blocks.length === 0) return [{ text: 'none', tone: 'muted', indent: 2 }]
  return blocks.flatMap(block => blockLines(block, 2))
}

/** One content block: text as text, images and sounds as type and size, all else as JSON. */
export function blockLines(block: unknown, indent: number): Line[] {
  if (typeof block === 'string') return textLines(block, indent)
  if (!isObject(block)) return jsonLines(withShortTexts(block, MOST_TEXT), indent)
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return textLines(text, indent)
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return [{ text: `${type} ${binaryText(mimeType, data)}`, tone: 'accent', indent }]
  if (type === 'resource' && isObject(resource)) return contentsLines(resource, indent)
  if (type === 'resource_link' && typeof block['uri'] === 'string') {
    const name = typeof block['name'] === 'string' ? ` ${block['name']}` : ''
    return [{ text: shorten(`link to ${block['uri']}${name}`, MOST_TEXT), tone: 'accent', indent }]
  }
  return jsonLines(withShortTexts(block, MOST_TEXT), indent)
}

/** Contents of a resource: its address, then the text, or type and size of what is no text. */
function contentsLines(content: JsonObject, indent: number): Line[] {
  const { uri, mimeType, text, blob } = content
  const head: Line[] = typeof uri === 'string' ? [{ text: shorten(uri, 2_000), tone: 'accent', indent }] : []
  if (typeof text === 'string') return [...head, ...textLines(text, indent)]
  if (typeof blob === 'string') return [...head, { text: `blob ${binaryText(mimeType, blob)}`, indent }]
  return [...head, ...jsonLines(withShortTexts(content, MOST_TEXT), indent)]
}

function binaryText(mimeType: unknown, base64: string): string {
  const type = typeof mimeType === 'string' ? shorten(mimeType, 100) : 'of unknown type'
  return `${type}, ${formatSize(base64Size(base64))}`
}

function textLines(text: string, indent: number): Line[] {
  const lines = text.split(/\r\n|\n|\r/)
  const rest = lines.length - MOST_LINES
  return [
    ...lines.slice(0, MOST_LINES).map(line => ({ text: shorten(line, MOST_TEXT), indent })),
    ...(rest > 0 ? [{ text: `… ${rest} more lines`, tone: 'warn' as const, indent }] : []),
  ]
}

/** The body, laid out; every field as it came, in its order. */
function receivedLines(text: string): Line[] {
  try {
    return jsonLines(withShortTexts(JSON.parse(text), MOST_TEXT), 2)
  } catch {
    return textLines(text, 2)
  }
}
