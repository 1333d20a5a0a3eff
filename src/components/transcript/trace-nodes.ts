import { jsonText } from '../../lib/printable.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { jsonNode } from '../json/json-tree.ts'
import type { OutlineNode, Trail } from '../viewer/outline-tree.ts'
import type { Line, Span } from '../viewer/source.ts'
import { blank, cleanSpans, fitSpans } from '../viewer/spans.ts'
import type { ContentLook } from './content.ts'
import { callHead, callParts, failed } from './transcript-nodes.ts'
import type { Mark, ToolCall, TranscriptRow } from './transcript-rows.ts'
import { ownValue } from '../../lib/own-value.ts'

/** A step, a turn or a span of a trace, with its children. Times are epoch milliseconds, durations milliseconds. */
export type TraceNode = {
  /** Unique in the trace. */
  id: string
  /** `prompt ask`, or the span's own name. */
  name: string
  /** `ok`, `error`, `fail`, `skipped`, `pending`, or any other word of the source. */
  status: string
  startedAt?: number
  durationMs?: number
  /** The reason for the status. */
  reason?: string
  /** The arguments and result of a tool call. Its `mark` and `note` are shown on its line. */
  call?: ToolCall
  /** Other known values, folded. */
  values?: readonly { title: string; value: unknown }[]
  children: readonly TraceNode[]
  /** The node as received. */
  raw: unknown
}

/** The recording of a trial, from any recorder. */
export type Trace = {
  startedAt?: number
  durationMs?: number
  nodes: readonly TraceNode[]
  messages: readonly TranscriptRow[]
  /** The whole trace as received. */
  raw: unknown
}

const LOOKS: Record<string, Mark> = {
  ok: { symbol: 'ok', tone: 'ok' },
  fail: { symbol: 'error', tone: 'error' },
  error: { symbol: 'error', tone: 'error' },
  skipped: { symbol: 'cancelled', tone: 'muted' },
  pending: { symbol: 'pending', tone: 'muted' },
  running: { symbol: 'live', tone: 'live' },
  unset: { symbol: 'pending', tone: 'muted' },
}

/** Columns of the bars and of the times beside them, and the minimum left for names. */
const BAR = 24
const DURATION = 8
const LEAST_NAME = 30
/** Minimum columns of the bars at which the start time of each part is also shown. */
const BEGINS_FROM = 32

/** Returns the columns of all bars in a tree of this width, at any depth. */
export function barColumns(width: number): number {
  return Math.max(BAR, Math.floor(width / 3))
}

/** How a trace is drawn; `bar` comes from {@link barColumns}. */
export type TraceLook = ContentLook & { bar?: number }

export function isError(node: TraceNode): boolean {
  return (node.call !== undefined && failed(node.call)) || ownValue(LOOKS, node.status)?.symbol === 'error'
}

/** Returns the parts of a trace's tree: steps unfolded, calls folded, and failures unfolded down to their reason. */
export function traceNodes(trace: Trace, look: TraceLook): OutlineNode[] {
  const clock = clockOf(trace)
  const nodeOf = (node: TraceNode): OutlineNode => {
    const { reason, call, values = [], children } = node
    const hasInside =
      reason !== undefined || values.length > 0 || children.length > 0 || callParts(call, node.id, look).length > 0
    return {
      id: node.id,
      head: headOf(node, clock, look),
      copy: () => jsonText(node.raw, 2),
      raw: () => node.raw,
      // In a success the calls are worth a line, the reason is not.
      open: call === undefined ? children.length > 0 || isError(node) : isError(node),
      ...(reason !== undefined && { foldedHead: headOf(node, clock, look, reason) }),
      ...(hasInside && {
        children: () => [
          ...(reason === undefined ? [] : [reasonNode(node, reason)]),
          ...callParts(call, node.id, look),
          ...children.map(nodeOf),
          ...values.map(({ title, value }, index) =>
            jsonNode(value, { id: `${node.id}/value-${index}`, name: `${title} ` }),
          ),
        ],
      }),
    }
  }
  return trace.nodes.map(nodeOf)
}

function reasonNode(node: TraceNode, reason: string): OutlineNode {
  const lines = reason.split('\n').map((text): Line => ({ text, tone: isError(node) ? 'error' : 'muted' }))
  return {
    id: `${node.id}/reason`,
    body: () => ({ count: lines.length, at: index => lines[index] ?? '' }),
    copy: () => reason,
  }
}

type Clock = { from: number; length: number } | undefined

/** Returns the time from the first start to the last end; undefined if no time is known. */
function clockOf(trace: Trace): Clock {
  let from = trace.startedAt ?? Infinity
  let to = from + (trace.durationMs ?? 0)
  const waiting = [...trace.nodes]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    waiting.push(...node.children)
    if (node.startedAt === undefined) continue
    from = Math.min(from, node.startedAt)
    to = Math.max(Number.isFinite(to) ? to : -Infinity, node.startedAt + (node.durationMs ?? 0))
  }
  return Number.isFinite(from) && to > from ? { from, length: to - from } : undefined
}

/** Returns the heading of a tree, with the time span of its bars. */
export function axisHead(title: string, trace: Trace, look: TraceLook): Line {
  const clock = clockOf(trace)
  const name: Span[] = [{ text: title, tone: 'accent' }]
  const axis = (columns: number): Span[] => {
    const to = formatDuration(clock?.length)
    return [{ text: `0${to.padStart(columns - 1)}`, tone: 'muted' }]
  }
  return { block: columns => [{ parts: beside(name, axis, [], { clock, look, columns }) }], text: () => title }
}

/** Returns mark and name at the left; at the right a bar for when and how long, and the times. */
function headOf(node: TraceNode, clock: Clock, look: TraceLook, reason = ''): Line {
  const { symbols } = look
  // A call with an error result has failed, even if its span ended well.
  const ended = ownValue(LOOKS, isError(node) ? 'error' : node.status)
  const mark = node.call?.mark ?? ended ?? { symbol: 'warn', tone: 'warn' }
  const name: Span[] = node.call
    ? [...callHead({ ...node.call, mark: { ...mark } }, look)]
    : [
        { text: `${symbols[mark.symbol]} ${node.status.padEnd(8)}`, tone: mark.tone },
        { text: node.name, tone: 'strong' },
        ...(reason === '' ? [] : [{ text: `  ${reason.replaceAll(/\s+/g, ' ')}`, tone: 'muted' as const }]),
      ]
  const text = name.map(span => span.text).join('')
  const begin = clock && node.startedAt !== undefined ? `+${formatDuration(node.startedAt - clock.from)}` : ''
  const bar = (columns: number): Span[] => barSpans({ node, clock, symbols, tone: mark.tone }, columns)
  const times = [formatDuration(node.durationMs), begin]
  return {
    block: columns => [{ parts: beside(name, bar, times, { clock, look, columns }) }],
    text: () => text,
    copy: () => text,
  }
}

function beside(
  spans: readonly Span[],
  bar: (columns: number) => Span[],
  [duration = '', begin = '']: readonly string[],
  { clock, look, columns }: { clock: Clock; look: TraceLook; columns: number },
): Span[] {
  const name = cleanSpans(spans)
  const { bar: length = BAR, symbols } = look
  const time = (text: string): Span => ({ text: ` ${text.padStart(DURATION - 1)}`, tone: 'muted' })
  const times = [...(length >= BEGINS_FROM ? [time(begin)] : []), time(duration)]
  const room = columns - length - DURATION * times.length - 1
  if (!clock || symbols.bar[0] === '' || room < LEAST_NAME - 1)
    return columns < LEAST_NAME ? name : [...fitSpans(name, columns - DURATION), time(duration)]
  return [...fitSpans(name, room), blank(1), ...bar(length), ...times]
}

/** Rounds to half columns, with at least half a column. */
function barSpans(
  { node, clock, symbols, tone }: { node: TraceNode; clock: Clock; symbols: Symbols; tone: Tone },
  columns: number,
): Span[] {
  if (!clock || node.startedAt === undefined) return [blank(columns)]
  const [full] = symbols.bar
  const [left, right] = symbols.halfBar
  const halves = 2 * columns
  const share = (time: number): number => Math.max(0, Math.min(1, time / clock.length))
  const from = Math.min(halves - 1, Math.floor(share(node.startedAt - clock.from) * halves))
  const to = Math.min(halves, from + Math.max(1, Math.round(share(node.durationMs ?? 0) * halves)))
  const whole = Math.floor(to / 2) - Math.ceil(from / 2)
  const text = `${from % 2 === 1 ? right : ''}${full.repeat(Math.max(0, whole))}${to % 2 === 1 ? left : ''}`
  return [blank(Math.floor(from / 2)), { text, tone }, blank(columns - Math.ceil(to / 2))]
}

/** Returns every node of a trace in order, with its path. */
export function trailsOf(trace: Trace, up: Trail | undefined): { node: TraceNode; trail: Trail }[] {
  const found: { node: TraceNode; trail: Trail }[] = []
  const waiting = trace.nodes.toReversed().map(node => ({ node, trail: { id: node.id, up } }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    found.push(next)
    const { node, trail } = next
    for (const child of node.children.toReversed()) waiting.push({ node: child, trail: { id: child.id, up: trail } })
  }
  return found
}
