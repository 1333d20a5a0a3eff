import { beginningOfJson } from '../../lib/json-beginning.ts'
import { isPlainObject } from '../../lib/json.ts'
import { formatAgo, formatCount, formatDuration, UNKNOWN } from '../../lib/format.ts'
import { fieldLines, heading } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'

type Open = Readonly<Record<string, unknown>>

const INDENT = 2
const DEEPEST = 4
/** Most characters of JSON that one value shows. */
const MOST_TEXT = 10_000
/** Longest value that stands beside its label. */
const MOST_BESIDE = 40

/** `averageAnswerMs` as `average answer`: the words of a field without its unit. */
export function fieldLabel(name: string): string {
  return name
    .replace(/(Ms|At)$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

/** A value of an open document in the unit that its name says; null means that there was nothing to count. */
export function settingLabel(name: string, value: unknown, now: number): string {
  if (value === null || value === undefined) return UNKNOWN
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'number') return typeof value === 'string' ? value : beginningOfJson(value, MOST_TEXT).text
  if (/Rate$|^rate$/.test(name)) return `${Math.round(value * 100)}%`
  if (name.endsWith('Ms')) return formatDuration(value)
  if (name.endsWith('At')) return formatAgo(value, now)
  return Number.isInteger(value) ? formatCount(value) : String(Math.round(value * 100) / 100)
}

/** An open document as it came: plain values as fields, what is in them below headings. Unknown fields show too. */
export function documentLines(document: Open, now: number, depth = 0): Line[] {
  const entries = Object.entries(document)
  const fields = entries
    .filter(([, value]) => !isPlainObject(value) && !Array.isArray(value))
    .map(([name, value]) => [fieldLabel(name), settingLabel(name, value, now)] as const)
  const short = fields.filter(([, words]) => words.length <= MOST_BESIDE)
  const long = fields.filter(([, words]) => words.length > MOST_BESIDE)
  return [
    ...(short.length > 0 ? fieldLines(short, depth * INDENT) : []),
    // A value beside its label is cut where the pane ends; a line of its own is wrapped.
    ...long.flatMap(([label, words]) => [
      ...indented([{ text: label, tone: 'muted' }], depth),
      ...indented([words], depth + 1),
    ]),
    ...entries.flatMap(([name, value]) => nestedLines(name, value, now, depth)),
  ]
}

function nestedLines(name: string, value: unknown, now: number, depth: number): Line[] {
  if (!isPlainObject(value) && !Array.isArray(value)) return []
  const title = indented([heading(fieldLabel(name))], depth)
  if (depth >= DEEPEST) return [...title, ...indented([beginningOfJson(value, MOST_TEXT).text], depth + 1)]
  if (isPlainObject(value)) return [...title, ...documentLines(value, now, depth + 1)]
  if (value.length === 0) return [...title, ...indented([{ text: 'none', tone: 'muted' }], depth + 1)]
  return [
    ...title,
    ...value.flatMap((item: unknown, index): Line[] =>
      isPlainObject(item)
        ? [...(index > 0 ? [''] : []), ...documentLines(item, now, depth + 1)]
        : indented([settingLabel(name, item, now)], depth + 1),
    ),
  ]
}

function indented(lines: readonly Line[], depth: number): Line[] {
  if (depth === 0) return [...lines]
  return lines.map((line): Line => {
    if (typeof line === 'string') return { text: line, indent: depth * INDENT }
    if ('text' in line && typeof line.text === 'string') return { ...line, text: line.text, indent: depth * INDENT }
    return line
  })
}
