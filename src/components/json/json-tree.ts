import { jsonText } from '../../lib/printable.ts'
import { formatCount } from '../../lib/format.ts'
import type { OutlineNode } from '../viewer/outline-tree.ts'
import { textSource, type Span, type SpanLine } from '../viewer/source.ts'

/** Maximum number of rows up to which a document opens unfolded. */
const OPEN_ROWS = 500
/** Texts longer than this are folded, and unfold into their own lines. */
const LONG_TEXT = 10_000
/** Characters of a folded text that are visible. */
const SAMPLE = 60
/** Number of members per group in a value with more than `MOST_TOGETHER` members. */
const GROUP = 1000
const MOST_TOGETHER = 10_000

/** The position of a value in its document. */
export type JsonPlace = {
  /** Id of its node; ids of nodes inside it start with it. */
  id: string
  /** The text before it, such as `"name": `. */
  name?: string
  comma?: boolean
  /** Number of levels that start unfolded. */
  open?: number
}

type Container = { value: Record<string, unknown>; isArray: boolean; keys: readonly string[] | undefined; size: number }

function containerOf(value: unknown): Container | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const record = value as Record<string, unknown>
  if (Array.isArray(value)) return { value: record, isArray: true, keys: undefined, size: value.length }
  // JSON leaves out undefined members, so they are left out here too.
  const keys = Object.keys(value).filter(key => record[key] !== undefined)
  return { value: record, isArray: false, keys, size: keys.length }
}

/**
 * Returns a value as a node of a document: folded into one line with its size, unfolded as JSON.stringify formats it.
 */
export function jsonNode(value: unknown, place: JsonPlace): OutlineNode {
  const { id, name = '', open = 0 } = place
  const comma = place.comma ? ',' : ''
  const own = { copy: () => jsonText(value, 2), raw: () => value }
  const container = containerOf(value)
  if (container && container.size > 0) {
    const [from, to] = container.isArray ? ['[', ']'] : ['{', '}']
    return {
      ...own,
      id,
      head: named(name, from),
      foldedHead: named(name, `${from} ${container.size} ${to}${comma}`, 'muted'),
      tail: named('', to + comma),
      children: () => childrenOf(container, id, open - 1),
      ...(open > 0 && { open: true }),
    }
  }
  if (typeof value === 'string' && value.length > LONG_TEXT) {
    const sample = JSON.stringify(value.slice(0, SAMPLE)).slice(0, -1)
    const size = `${formatCount(value.length)} characters`
    return {
      ...own,
      id,
      head: named(name, size, 'muted'),
      foldedHead: named(name, `${sample}…" ${size}`, 'muted'),
      body: () => textSource(value),
      copy: () => value,
    }
  }
  const text = container ? (container.isArray ? '[]' : '{}') : (JSON.stringify(value) ?? 'null')
  return { ...own, id, head: named(name, text + comma) }
}

function named(name: string, text: string, tone: Span['tone'] = 'plain'): SpanLine {
  const spans: Span[] = [{ text, tone }]
  return { spans: name === '' ? spans : [{ text: name, tone: 'accent' }, ...spans] }
}

function childrenOf(container: Container, id: string, open: number): OutlineNode[] {
  const { size } = container
  if (size <= MOST_TOGETHER) return entriesOf(container, { id, open, from: 0, to: size })
  return Array.from({ length: Math.ceil(size / GROUP) }, (_, index): OutlineNode => {
    const from = index * GROUP
    const to = Math.min(size, from + GROUP)
    return {
      id: `${id}//${index}`,
      head: { text: `${formatCount(from)} … ${formatCount(to - 1)}`, tone: 'muted' },
      children: () => entriesOf(container, { id, open, from, to }),
      isFlat: true,
    }
  })
}

function entriesOf(
  { value, isArray, keys, size }: Container,
  part: { id: string; open: number; from: number; to: number },
): OutlineNode[] {
  return Array.from({ length: part.to - part.from }, (_, offset) => {
    const index = part.from + offset
    const key = keys ? keys[index]! : String(index)
    return jsonNode(value[key], {
      id: pointer(part.id, key),
      name: isArray ? '' : `${JSON.stringify(key)}: `,
      comma: index < size - 1,
      open: part.open,
    })
  })
}

function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Returns how many levels of a document open unfolded: as many as stay short, at least the first. */
export function openDepth(value: unknown): number {
  let level = [value]
  let rows = 1
  for (let depth = 0; ; depth += 1) {
    const next: unknown[] = []
    for (const item of level) {
      const container = containerOf(item)
      rows += container?.size ?? 0
      if (rows > OPEN_ROWS) return Math.max(1, depth)
      if (container) next.push(...Object.values(container.value))
    }
    if (next.length === 0) return depth + 1
    level = next
  }
}
