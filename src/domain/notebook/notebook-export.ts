import { utcTime } from '../../lib/times.ts'
import { setImmediate } from 'node:timers/promises'
import type { Incident, NotebookEntry, Pinned } from './notebook.ts'
import { clean, printable } from '../../lib/printable.ts'
import { type Own, redacted, SECRET } from '../../lib/redaction/redaction.ts'

export type ExportOptions = Own & {
  /** The address of a pinned thing, such as `mcpdeck://local/projects/P/runs/R`. */
  locator: (place: Pinned['place']) => string
  /** Epoch milliseconds. */
  now: number
  /** Called after each entry. */
  progress?: (done: number, total: number) => void
  /** Aborts the export. */
  signal?: AbortSignal
}

/** Milliseconds of work after which other tasks may run. */
const TURN_MS = 10

/** The notice in every document meant for others. */
export const REDACTED =
  'by mcpdeck without what looks like a secret, an e-mail address or a home directory: read it before you hand it on.'

/** Formats texts of others for a document. They are redacted and escaped. */
export function documentTexts(own: Own) {
  const safe = (text: string): string => redacted(text, own)
  return {
    /** Formats a text on one line. */
    line: (text: string): string => escaped(safe(text).replaceAll(/\s+/g, ' ').trim()),
    /** Formats an id, or the address of a place. */
    thing: (text: string): string => code(redacted(text, { ...own, isId: true })),
    /** Formats a quote of several lines. */
    quote: (text: string): string =>
      safe(text)
        .trim()
        .split(/\r\n|[\n\r\u2028\u2029]/)
        .map(each => `> ${escaped(each)}`.trimEnd())
        .join('\n'),
  }
}

/**
 * Builds the parts of a document one after the other. Redaction takes microseconds for each character, so keys and
 * answers are handled between two parts.
 *
 * @throws the reason of the signal if it is aborted
 */
export async function inTurns(
  parts: readonly (() => string)[],
  { progress, signal }: Pick<ExportOptions, 'progress' | 'signal'>,
): Promise<string[]> {
  const texts: string[] = []
  let turn = performance.now()
  for (const part of parts) {
    if (performance.now() - turn >= TURN_MS) {
      progress?.(texts.length, parts.length)
      await setImmediate()
      signal?.throwIfAborted()
      turn = performance.now()
    }
    texts.push(part())
  }
  return texts
}

/**
 * Returns an incident as Markdown that others may read: redacted, and with all texts escaped.
 *
 * @throws the reason of the signal if it is aborted
 */
export async function exportIncident(incident: Incident, options: ExportOptions): Promise<string> {
  const { line } = documentTexts(options)
  const ended = incident.closedAt === undefined ? 'still open' : `closed ${utcTime(incident.closedAt)}`
  const parts = [
    `# ${line(incident.title)}`,
    `Opened ${utcTime(incident.openedAt)}, ${ended}. Exported ${utcTime(options.now)} ${REDACTED}`,
  ]
  const entries = incident.entries.toSorted((one, other) => one.at - other.at)
  parts.push(
    ...(await inTurns(
      entries.map(entry => () => entryText(entry, options)),
      options,
    )),
  )
  return `${parts.join('\n\n')}\n`
}

function entryText({ at, note, pinned }: NotebookEntry, options: ExportOptions): string {
  const { line, thing, quote } = documentTexts(options)
  const title = pinned ? `${pinned.kind} ${pinned.name}` : 'note'
  const facts = pinned && [
    ...pinned.facts.map(([label, value]) => `- ${line(`${label}: ${value}`)}`),
    `- Id: ${thing(pinned.id)}`,
    `- Place: ${thing(options.locator(pinned.place))}`,
  ]
  return [`## ${utcTime(at)}: ${line(title)}`, facts?.join('\n'), note.trim() !== '' && quote(note)]
    .filter(Boolean)
    .join('\n\n')
}

/** Matches markup that works anywhere, and markup that works only at the start of a line or the end of a heading. */
const MARKUP = /[\\`*_[\]<>|~]|&(?=#?\w+;)|^(\s*)(#{1,6}|[-+=]+|\d+[.)])(?=\s|$)|#(?=#*\s*$)/gm

/** Escapes text so that a renderer shows it unchanged. Unprintable characters become visible. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll(MARKUP, found => (/^\s*\d/.test(found) ? found.replace(/[.)]$/, '\\$&') : found.replace(/\S/, '\\$&')))
    .replaceAll(`\\${SECRET.slice(0, -1)}\\]`, SECRET)
    .replaceAll('\\[address\\]', '[address]')
}

function code(text: string): string {
  return `\`${clean(text.replaceAll(/[`\s]/g, ' ')).trim()}\``
}
