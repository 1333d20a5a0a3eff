import type { CallRecord } from '../../domain/calls/call-log.ts'
import { argumentChanges, type ArgumentChange } from '../../domain/calls/argument-changes.ts'
import { callDuration, statusOf, type ListedCall } from '../../domain/calls/listed-calls.ts'
import { changedLines, resultChanges } from '../../domain/calls/result-difference.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { fieldLines, heading } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { jsonText } from '../../lib/printable.ts'
import { formatDuration } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { shorten } from './json-text.ts'
import { instantOf } from './recorded.ts'
import { callLook } from './result-lines.ts'

const MOST_VALUE = 2_000
const MOST_LINES = 500

/**
 * Returns the two calls to compare, or why there are none. Two marked calls are compared; otherwise the selected call
 * with the one before it with the same arguments, or the one after it if there is none before.
 */
export function comparedPair(
  marked: readonly ListedCall[],
  chosen: ListedCall | undefined,
  calls: readonly ListedCall[],
): [earlier: ListedCall, later: ListedCall] | string {
  if (marked.length > 0) {
    const [earlier, later, ...others] = marked.toSorted((one, other) => one.startedAt - other.startedAt)
    return earlier && later && others.length === 0 ? [earlier, later] : 'Mark two calls to compare them.'
  }
  if (!chosen) return 'Nothing was called yet.'
  const alike = calls.filter(call => call.id !== chosen.id && isSameCall(call, chosen))
  const before = alike.find(call => call.startedAt <= chosen.startedAt)
  const after = alike.at(-1)
  if (before) return [before, chosen]
  return after ? [chosen, after] : 'No other call has the same arguments. Mark two calls to compare them.'
}

function isSameCall(one: ListedCall, other: ListedCall): boolean {
  return one.kind === other.kind && one.target === other.target && isSameJson(one.input ?? {}, other.input ?? {})
}

/** Returns the times and states of two calls, and the differences in their arguments and results. */
export function comparedLines(earlier: CallRecord, later: CallRecord, symbols: Symbols): Line[] {
  const both = [earlier, later].map(record => {
    const { symbol, word } = callLook(statusOf(record))
    const took = formatDuration(callDuration(record)?.ms)
    return `${instantOf(record.startedAt)}  ${symbols[symbol]} ${word}  ${took}  ${record.target}`
  })
  return [
    ...fieldLines([
      ['Earlier', both[0]],
      ['Later', both[1]],
    ]),
    '',
    heading('Arguments'),
    ...argumentLines(earlier, later, symbols),
    '',
    heading('Result'),
    ...resultLines(earlier, later, symbols),
  ]
}

function argumentLines(earlier: CallRecord, later: CallRecord, symbols: Symbols): Line[] {
  const changes = argumentChanges(earlier.input ?? {}, later.input ?? {}, 'exact')
  const isPart = earlier.incomplete != null || later.incomplete != null
  const note = isPart ? [{ text: 'Not all arguments were stored as they were sent.', tone: 'warn' as const }] : []
  if (isPart && changes.length === 0) return [...note, { text: 'No difference in what was.', tone: 'muted', indent: 2 }]
  return [...note, ...changeLines(changes, symbols)]
}

function resultLines(earlier: CallRecord, later: CallRecord, symbols: Symbols): Line[] {
  const [before, after] = [earlier.outcome, later.outcome]
  if (before.state !== 'answered' || after.state !== 'answered') {
    const which = before.state === 'answered' ? 'later' : after.state === 'answered' ? 'earlier' : 'one nor the other'
    const text = which === 'one nor the other' ? 'Neither call has a result.' : `The ${which} call has no result here.`
    return [{ text, tone: 'warn', indent: 2 }]
  }
  return changeLines(resultChanges(before.answer, after.answer), symbols)
}

function changeLines(changes: readonly ArgumentChange[], symbols: Symbols): Line[] {
  if (changes.length === 0) return [{ text: `${symbols.ok} No difference.`, tone: 'ok', indent: 2 }]
  const lines = changes.flatMap(change => [{ text: change.path, indent: 2 }, ...sidesOf(change)])
  const more = lines.length - MOST_LINES
  if (more <= 0) return lines
  return [...lines.slice(0, MOST_LINES), { text: `${more} more lines.`, tone: 'muted', indent: 2 }]
}

function sidesOf(change: ArgumentChange): Line[] {
  const before = 'expected' in change ? change.expected : undefined
  const after = 'actual' in change ? change.actual : undefined
  if (typeof before === 'string' && typeof after === 'string' && `${before}${after}`.includes('\n')) {
    const { from, removed, added } = changedLines(before, after)
    return [
      { text: `from line ${from}`, tone: 'muted', indent: 4 },
      ...removed.map(text => sideLine('-', text)),
      ...added.map(text => sideLine('+', text)),
    ]
  }
  return [
    ...(change.kind === 'added' ? [] : [sideLine('-', jsonText(before))]),
    ...(change.kind === 'removed' ? [] : [sideLine('+', jsonText(after))]),
  ]
}

function sideLine(sign: '-' | '+', text: string): Line {
  return { text: `${sign} ${shorten(text, MOST_VALUE)}`, tone: sign === '-' ? 'error' : 'ok', indent: 4 }
}
