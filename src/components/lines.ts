import { greatest } from '../lib/extremes.ts'
import { beginningOfJson } from '../lib/json-beginning.ts'
import { formatCount, UNKNOWN } from '../lib/format.ts'
import { fit, widthOf } from '../tui/theme/text.ts'
import type { Symbols, Tone } from '../tui/theme/theme.ts'
import type { Problem } from './pane-state.tsx'
import type { Line } from './viewer.tsx'
import type { Span } from './viewer/source.ts'

/**
 * Longest value that is laid out in a pane of fields, which is drawn anew with every change; the raw record holds all
 * of it.
 */
const VALUE_LIMIT = 4000

export type Field = readonly [label: string, value: string | null | undefined, tone?: Tone]

/**
 * Labels and values in two columns, of which a long value goes on below itself, and a long word below its label; an
 * unknown one shows as such, never as nothing. A wide viewer lays two fields beside each other.
 */
export function fieldLines(fields: readonly Field[], indent = 0): Line[] {
  const width = greatest(fields.map(([label]) => widthOf(label))) + 2
  const margin = ' '.repeat(indent)
  return fields.map(([label, value, tone]) => ({
    lead: [{ text: `${margin}${fit(label, width)}`, tone: 'muted' }],
    rest: [{ text: ' '.repeat(indent + width), tone: 'muted' }],
    spans: tone ? [{ text: valueText(value), tone }] : measured(valueText(value)),
    below: indent + 2,
  }))
}

/** A number with its unit, of which the number counts: `12 ms`, `340ms`, `5 MB`, `74%`. */
const MEASURE = /^([\d.,]+)( ?(?:[a-zA-Z]{1,9}|%))$/

function measured(text: string): readonly Span[] {
  const [, number, unit] = MEASURE.exec(text) ?? []
  if (number === undefined || unit === undefined) return [{ text, tone: 'plain' }]
  return [
    { text: number, tone: 'plain' },
    { text: unit, tone: 'muted' },
  ]
}

function valueText(value: string | null | undefined): string {
  if (value == null || value === '') return UNKNOWN
  if (value.length <= VALUE_LIMIT) return value
  return `${value.slice(0, VALUE_LIMIT)} … ${formatCount(value.length - VALUE_LIMIT)} more characters`
}

export function heading(text: string): Line {
  return { text, tone: 'accent' }
}

/** What went wrong and the next step, in a text that says other things too. */
export function problemLines(symbols: Symbols, problem: Problem): Line[] {
  return [
    { text: `${symbols.error} ${problem.title}`, tone: 'error', indent: 2 },
    { text: problem.sentence, indent: 2 },
    { text: problem.next, tone: 'muted', indent: 2 },
  ]
}

/** Longest JSON that is laid out for reading, again with every draw; beyond it the rest is named, not shown. */
const JSON_LIMIT = 500_000

export function jsonLines(value: unknown, indent = 0): Line[] {
  const { text, isWhole } = beginningOfJson(value, JSON_LIMIT, 2)
  const lines: Line[] = text.split('\n').map(line => {
    const margin = line.length - line.trimStart().length
    return { text: line.trimStart(), indent: indent + margin }
  })
  if (!isWhole) lines.push({ text: '… and more than is shown here', tone: 'warn' })
  return lines
}
