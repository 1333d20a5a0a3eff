import { printable } from '../../lib/printable.ts'
import { clean, widthOf, wrap } from '../../tui/theme/text.ts'

/** A stream that prose goes to; it has columns where it is a terminal. */
export type ProseStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/**
 * Says something to a person, on standard error by default: a line or several, broken at the terminal's
 * width.
 */
export function say(text: string, stream: ProseStream = process.stderr): void {
  stream.write(`${laidOut(text, stream)}\n`)
}

/**
 * Text as a stream takes it: broken between words where a terminal shows it, with each line's indentation kept, and as
 * it is elsewhere; what is not printable in it becomes visible. A word that is wider than the terminal stays whole, so
 * that addresses and paths can still be copied and clicked.
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

/**
 * Text behind what is before it in its line, such as the columns of a table; further lines begin below where it began.
 */
export function behind(before: string, text: string, stream: ProseStream): string {
  const indent = widthOf(before)
  const [first = '', ...others] = linesWithin(text, stream, indent)
  return [before + first, ...others.map(line => ' '.repeat(indent) + line)].join('\n')
}

/** Narrower than this, lines are left to the terminal. */
const LEAST_COLUMNS = 12

/** A text in lines for what a stream has left beside an indentation; one line where that is no terminal. */
export function linesWithin(words: string, { isTTY, columns }: ProseStream, indent: number): string[] {
  const text = clean(words)
  const width = columns - indent
  return isTTY && width >= LEAST_COLUMNS && widthOf(text) > width ? broken(text, width) : [text]
}

/** A question’s blank before what is typed stays. */
function broken(text: string, width: number): string[] {
  const lines = wrap(text, width, { wholeWords: true })
  return [...lines.slice(0, -1), (lines.at(-1) ?? '') + (/ *$/.exec(text)?.[0] ?? '')]
}
