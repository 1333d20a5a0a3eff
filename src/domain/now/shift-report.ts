import type { DoneWrite } from '../../api/client/journal/entry.ts'
import { localMoment, utcTime } from '../../lib/times.ts'
import { documentTexts, inTurns, REDACTED, type ExportOptions } from '../notebook/notebook-export.ts'
import type { Incident } from '../notebook/notebook.ts'
import type { StoredNow } from './memory.ts'
import type { NowItem, NowSummary } from './summary.ts'

/** The input of a shift report. */
export type Shift = {
  /** Epoch milliseconds at which the shift began. */
  from: number
  summary: NowSummary
  /** Writes of this machine since the shift began. */
  writes: readonly DoneWrite[]
  acknowledged: StoredNow['acknowledged']
  incidents: readonly Incident[]
}

/** Hours of a shift if its beginning is not given. */
export const SHIFT_HOURS = 12

type Done = { at: number; text: () => string }

/**
 * Returns a shift as Markdown for the next person: what broke, what was done from this machine and what is open, with
 * links. It is redacted, and says what it does not know.
 *
 * @throws the reason of the signal if it is aborted
 */
export async function shiftReport(shift: Shift, options: ExportOptions): Promise<string> {
  const { from, summary } = shift
  const { line, thing } = documentTexts(options)
  const itemText = ({ says, state, kind, project, since, place, acknowledged }: NowItem): string => {
    const facts = [
      project && `in ${project.name}`,
      since !== null && `since ${utcTime(since)}`,
      acknowledged && 'acknowledged',
    ]
    const words = line(`${kind} ${state}: ${says} (${facts.filter(Boolean).join(', ')})`.replace(' ()', ''))
    return `- ${words}${place === null ? '' : `\n  ${thing(place)}`}`
  }
  const isBroken = (item: NowItem): boolean => item.red && (item.since ?? 0) >= from
  const broke = summary.items.filter(isBroken)
  const open = summary.items.filter(item => !isBroken(item))
  const done = doneIn(shift, options).toSorted((one, other) => one.at - other.at)
  const list = async (parts: readonly (() => string)[], none: string): Promise<string> =>
    parts.length === 0 ? none : (await inTurns(parts, options)).join('\n')
  const of = (items: readonly NowItem[]) => items.map(item => () => itemText(item))
  const whole = summary.read.whole ? 'Nothing' : 'Nothing that was read'
  const parts = [
    `# ${line(`Shift report of ${summary.profile}`)}`,
    `From ${utcTime(from)} to ${utcTime(options.now)}. Written ${REDACTED}`,
    unknownText(summary, line),
    '## What broke, and is still red',
    await list(of(broke), `${whole} is red that began in this time.`),
    '## What was done on this machine',
    await list(
      done.map(({ text }) => text),
      'Nothing was noted.',
    ),
    '## What is open beside that',
    await list(of(open), `${whole} is open.`),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

function unknownText({ read }: NowSummary, line: (text: string) => string): string {
  if (read.whole) return read.closed.length === 0 ? '' : `Switched off, and not read: ${line(read.closed.join(', '))}.`
  const missing = read.missing.map(({ what, why }) => line(`${what} (${why})`))
  const reading = read.reading > 0 ? [`${read.reading} reads without an answer`] : []
  return `**Not everything is known:** ${[...missing, ...reading].join('; ') || 'nothing was read'}.`
}

/** Returns writes, acknowledgements, notes and pins of the shift. */
function doneIn({ from, summary, writes, acknowledged, incidents }: Shift, options: ExportOptions): Done[] {
  const { line, thing, quote } = documentTexts(options)
  const entry = (at: number, text: string, more = ''): Done => ({
    at,
    text: () => `- ${utcTime(at)}: ${line(text)}${more === '' ? '' : `\n  ${thing(more)}`}`,
  })
  const saysOf = new Map(summary.items.map(item => [item.key, `${item.kind} ${item.state}: ${item.says}`]))
  return [
    ...writes.map(write => entry(write.intendedAt, writeText(write), subjectOf(write))),
    ...[...acknowledged]
      .filter(([, { at }]) => at >= from)
      .map(([key, { at }]) => entry(at, `acknowledged ${saysOf.get(key) ?? `${key}, which is no line any more`}`)),
    ...incidents.flatMap(({ title, entries }) =>
      entries
        .filter(({ at }) => at >= from)
        .map(({ at, note, pinned }): Done => {
          const what = pinned ? `pinned ${pinned.kind} ${pinned.name}` : 'noted'
          const { text } = entry(at, `${what} in “${title}”`, pinned && options.locator(pinned.place))
          const words = note.trim() === '' ? '' : `\n\n${quote(note).replaceAll(/^/gm, '  ')}\n`
          return { at, text: () => text() + words }
        }),
    ),
  ]
}

const FOUND = {
  happened: 'done, as was read back',
  'did-not-happen': 'did not happen',
  'cannot-be-known': 'may have happened',
}

/**
 * Returns the text that the person was shown, or if none was stored, one such as `Create eval run: done`. Unknown
 * outcomes are named as such.
 */
function writeText({ operation, outcome, code, finding, result }: DoneWrite): string {
  if (typeof result['words'] === 'string') return result['words']
  const words = operation.replaceAll(/[A-Z]+/g, capitals => ` ${capitals.toLowerCase()}`)
  const end =
    finding !== null
      ? FOUND[finding]
      : outcome === 'succeeded'
        ? 'done'
        : outcome === 'refused'
          ? `refused (${code ?? 'unknown'})`
          : 'outcome not known'
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${end}`
}

/** Returns the id of what a write created or, if it created nothing, of what it changed. */
function subjectOf({ result, place }: DoneWrite): string {
  const id = result['runId'] ?? result['id'] ?? result['suiteId'] ?? place.at(-1)?.[1]
  return typeof id === 'string' ? id : ''
}

/**
 * Returns a name such as `shift-2026-11-23-1842.md`.
 * @param now epoch milliseconds
 */
export function shiftFileName(now: number): string {
  return `shift-${localMoment(now, 0).replaceAll(/[^0-9]+/g, '-')}.md`
}
