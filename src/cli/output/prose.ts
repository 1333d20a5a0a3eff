import { printable } from '../../lib/printable.ts'
import { clean, widthOf, wrap } from '../../tui/theme/text.ts'

/** A stream for prose; it has columns if it is a terminal. */
export type ProseStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** Prints a message for people, on standard error by default: one or more lines, wrapped at the terminal's width. */
export function say(text: string, stream: ProseStream = process.stderr): void {
  stream.write(`${laidOut(text, stream)}\n`)
}

/**
 * Returns text for a stream: on a terminal wrapped between words with each line's indentation kept, elsewhere
 * unwrapped; unprintable characters are escaped. A word wider than the terminal is not broken, so that addresses and
 * paths can still be copied and clicked.
 */
export function laidOut(text: string, stream: ProseStream): string {
  return printable(text)
    .split('\n')
    .map(line => {
      const indent = /^ */.exec(line)?.[0] ?? ''
      return behind(indent, line.slice(indent.length), stream)
    })
    .join('\n')
}

/** Returns text after a prefix, such as the columns of a table; wrapped lines are indented to the end of the prefix. */
export function behind(before: string, text: string, stream: ProseStream): string {
  const indent = widthOf(before)
  const [first = '', ...others] = linesWithin(text, stream, indent)
  return [before + first, ...others.map(line => ' '.repeat(indent) + line)].join('\n')
}

/** With fewer columns, the terminal wraps the lines. */
const LEAST_COLUMNS = 12

/** Wraps a text in the columns that an indentation leaves; returns one line if the stream is no terminal. */
export function linesWithin(words: string, { isTTY, columns }: ProseStream, indent: number): string[] {
  const text = clean(words)
  const width = columns - indent
  return isTTY && width >= LEAST_COLUMNS && widthOf(text) > width ? broken(text, width) : [text]
}

/** Breaks text; the blank between a question and the typed answer is kept. */
function broken(text: string, width: number): string[] {
  const lines = wrap(text, width, { wholeWords: true })
  return [...lines.slice(0, -1), (lines.at(-1) ?? '') + (/ *$/.exec(text)?.[0] ?? '')]
}
