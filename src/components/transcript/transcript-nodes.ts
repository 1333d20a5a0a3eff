import { beginningOfJson } from '../../lib/json-beginning.ts'
import { jsonText } from '../../lib/printable.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import { jsonNode } from '../json/json-tree.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import type { Span } from '../viewer/source.ts'
import { contentNodes, textNodes, type ContentLook } from './content.ts'
import type { ToolCall, TranscriptPart, TranscriptRow } from './transcript-rows.ts'
import { ownValue } from '../../lib/own-value.ts'

const ROLE_TONES: Record<string, Tone> = { user: 'accent', assistant: 'strong', system: 'warn', tool: 'muted' }
/** Maximum characters of a message, or of a call's arguments, on one line. */
const SAMPLE = 200

/** Builds a foldable tree of a conversation: one node a message, with its calls and results below it. */
export function transcriptNodes(rows: readonly TranscriptRow[], look: ContentLook): OutlineNode[] {
  return rows.map(row => rowNode(row, look))
}

function rowNode(row: TranscriptRow, look: ContentLook): OutlineNode {
  const sign: Span[] = row.isError ? [{ text: `${look.symbols.error} `, tone: 'error' }] : []
  const tone = row.isError ? 'error' : (ownValue(ROLE_TONES, row.role) ?? 'plain')
  const by: Span[] = row.by === undefined ? [] : [{ text: ` ${row.by}`, tone: 'plain' }]
  const head: Span[] = [...sign, { text: row.role, tone }, ...by, ...measures(row)]
  return {
    id: row.id,
    head: { spans: head },
    foldedHead: { spans: [...head, { text: `  ${sampleOf(row.parts)}`, tone: 'muted' }] },
    open: true,
    children: () => row.parts.flatMap((part, index) => partNodes(part, `${row.id}/${index}`, look)),
    copy: () => row.parts.map(copyOf).join('\n\n'),
    raw: () => row.raw ?? row,
  }
}

/** Returns duration and tokens, as far as known. */
function measures({ durationMs, tokens }: { durationMs?: number; tokens?: number }): Span[] {
  const known = [
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
    ...(tokens === undefined ? [] : [`${formatCount(tokens)} tokens`]),
  ]
  return known.length === 0 ? [] : [{ text: `  ${known.join(', ')}`, tone: 'muted' }]
}

function partNodes(part: TranscriptPart, id: string, look: ContentLook): OutlineNode[] {
  switch (part.kind) {
    case 'text':
      return textNodes(part.text, part.format, id, look)
    case 'call':
      return [callNode(part, id, look)]
    case 'result':
      return [resultNode(part.value, { id, isError: part.isError ?? isErrorResult(part.value), look })]
    case 'value':
      return [jsonNode(part.value, { id, name: `${part.title} ` })]
  }
}

/** Returns a call as one line, its arguments and result folded below; a failure starts unfolded. */
export function callNode(call: ToolCall, id: string, look: ContentLook): OutlineNode {
  return {
    id,
    head: { spans: [...callHead(call, look), ...measures(call)] },
    children: () => callParts(call, id, look),
    copy: () => jsonText(call.raw ?? call, 2),
    raw: () => call.raw ?? call,
    ...(failed(call) && { open: true }),
  }
}

export function failed(call: ToolCall): boolean {
  return call.error !== undefined || call.isError === true || isErrorResult(call.result)
}

/** Returns mark, name and arguments of a call, and its note. */
export function callHead(call: ToolCall, { symbols }: ContentLook): Span[] {
  const mark = call.mark ?? (failed(call) ? { symbol: 'error' as const, tone: 'error' as const } : undefined)
  const sign: Span = mark
    ? { text: `${symbols[mark.symbol]} `, tone: mark.tone }
    : { text: `${symbols.bullet} `, tone: 'muted' }
  const server: Span[] = call.serverName === undefined ? [] : [{ text: `${call.serverName}/`, tone: 'muted' }]
  const note: Span[] = call.note === undefined ? [] : [{ text: `  ${call.note}`, tone: mark?.tone ?? 'muted' }]
  const args: Span[] = call.arguments === undefined ? [] : [{ text: ` ${jsonSample(call.arguments)}`, tone: 'plain' }]
  return [sign, ...server, { text: call.toolName, tone: 'strong' }, ...note, ...args]
}

/** Returns the arguments and result of a call, folded except for failures. */
export function callParts(call: ToolCall | undefined, id: string, look: ContentLook): OutlineNode[] {
  if (!call) return []
  return [
    ...(call.arguments === undefined ? [] : [jsonNode(call.arguments, { id: `${id}/arguments`, name: 'arguments ' })]),
    ...(call.error === undefined
      ? []
      : [{ id: `${id}/error`, head: { spans: [{ text: call.error, tone: 'error' as const }] } }]),
    ...(call.result === undefined
      ? []
      : [resultNode(call.result, { id: `${id}/result`, isError: isErrorResult(call.result), look })]),
  ]
}

function resultNode(
  value: unknown,
  { id, isError, look }: { id: string; isError: boolean; look: ContentLook },
): OutlineNode {
  const title: Span = isError ? { text: 'result: tool error', tone: 'error' } : { text: 'result', tone: 'accent' }
  const content = contentOf(value)
  if (!content) return { ...jsonNode(value, { id, name: 'result ' }), ...(isError && { open: true }) }
  const { blocks, structured } = content
  return {
    id,
    head: { spans: [title] },
    foldedHead: { spans: [title, { text: ` ${jsonSample(blocks[0] ?? null)}`, tone: 'muted' }] },
    children: () => [
      ...contentNodes(blocks, `${id}/content`, look),
      ...(structured === undefined
        ? []
        : [jsonNode(structured, { id: `${id}/structured`, name: 'structured content ' })]),
    ],
    copy: () => jsonText(value, 2),
    raw: () => value,
    ...(isError && { open: true }),
  }
}

function contentOf(value: unknown): { blocks: readonly unknown[]; structured: unknown } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { content, structuredContent } = value as Record<string, unknown>
  return Array.isArray(content) ? { blocks: content, structured: structuredContent } : undefined
}

function isErrorResult(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as Record<string, unknown>)['isError'] === true
}

/** Returns the beginning of a value as JSON on one line; reads no more of a long text than is shown. */
export function jsonSample(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, SAMPLE)) : beginningOfJson(value, SAMPLE).text
  return text.length > SAMPLE ? `${text.slice(0, SAMPLE)}…` : text
}

function sampleOf(parts: readonly TranscriptPart[]): string {
  const [first] = parts
  if (!first) return ''
  if (first.kind === 'text') return first.text.slice(0, SAMPLE).replaceAll(/\s+/g, ' ').trim()
  return first.kind === 'call' ? first.toolName : jsonSample(first.value)
}

function copyOf(part: TranscriptPart): string {
  return part.kind === 'text' ? part.text : jsonText(part, 2)
}
