import type { Tone } from '../../app/theme/theme.ts'

/** A line of a text: one tone, or several parts of different tones on one row that is cut, not wrapped. */
export type Line =
  | string
  | { text: string; tone?: Tone; indent?: number }
  | { parts: readonly { text: string; tone: Tone }[] }

/** Lines that are asked for one by one, so that a text of any length opens at once. */
export type LineSource = { count: number; at(index: number): Line }

/** A line longer than this is shown as several, so that one line of many megabytes is as light as many lines. */
const LONGEST_LINE = 10_000

/** What a viewer shows: lines, lines asked for one by one, or a whole text with its line breaks. */
export type Lines = readonly Line[] | LineSource | string

export function toSource(lines: Lines): LineSource {
  if (typeof lines === 'string') return textSource(lines)
  return 'at' in lines && 'count' in lines ? lines : { count: lines.length, at: index => lines[index] ?? '' }
}

/** The lines of a text, of which only the starts are kept. */
export function textSource(text: string): LineSource {
  const starts = [0]
  const ends: number[] = []
  for (let from = 0; ;) {
    const end = text.indexOf('\n', from)
    const stop = end === -1 ? text.length : end
    let piece = from
    while (stop - piece > LONGEST_LINE) {
      const cut = piece + LONGEST_LINE
      // A pair of surrogates is one character.
      piece = isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut
      ends.push(piece)
      starts.push(piece)
    }
    ends.push(stop)
    if (end === -1) break
    from = end + 1
    starts.push(from)
  }
  return {
    count: starts.length,
    at: index => text.slice(starts[index], ends[index]),
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** A line without its colours, as it is copied and searched. */
export function plainText(line: Line): string {
  if (typeof line === 'string') return line
  if ('parts' in line) return line.parts.map(part => part.text).join('')
  return ' '.repeat(line.indent ?? 0) + line.text
}

/** As many lines with a match are counted; more are told as "and more". */
const MOST_MATCHES = 10_000

export type Found = { text: string; lines: readonly number[]; isCut: boolean }

/** The lines that hold a text, capitals or not. */
export function search(source: LineSource, text: string): Found {
  const wanted = text.toLowerCase()
  const lines: number[] = []
  for (let index = 0; index < source.count; index += 1) {
    if (!plainText(source.at(index)).toLowerCase().includes(wanted)) continue
    if (lines.length === MOST_MATCHES) return { text, lines, isCut: true }
    lines.push(index)
  }
  return { text, lines, isCut: false }
}
