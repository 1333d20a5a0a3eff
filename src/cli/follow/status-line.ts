import { drawableSize } from '../../tui/terminal/size.ts'
import { clean, truncate } from '../../tui/theme/text.ts'

/** A line that shows the current state, on a stream that may be a terminal. */
export type StatusLine = {
  show: (text: string) => void
  /** Removes the line so that something else can be written in its place. */
  clear: () => void
}

const LEAST_MS = 100

/** Returns a line that is rewritten in place, no more often than a person can read. */
export function rewrittenLine(stream: NodeJS.WriteStream): StatusLine {
  let wanted = ''
  let shown = ''
  let drawnAt = -Infinity
  let later: NodeJS.Timeout | undefined
  const draw = (): void => {
    later = undefined
    drawnAt = performance.now()
    if (wanted === shown) return
    shown = wanted
    stream.write(`\r${truncate(wanted, drawableSize(stream).columns - 1)}\x1b[K`)
  }
  return {
    show(text) {
      wanted = clean(text)
      const wait = drawnAt + LEAST_MS - performance.now()
      if (wait <= 0) draw()
      else later ??= setTimeout(draw, wait)
    },
    clear() {
      clearTimeout(later)
      later = undefined
      if (shown !== '') stream.write('\r\x1b[K')
      wanted = ''
      shown = ''
    },
  }
}

/** Prints a line for each state that differs from the last. */
export function printedLines(write: (line: string) => void): StatusLine {
  let last = ''
  return {
    show(text) {
      if (text !== last) write(`${clean(text)}\n`)
      last = text
    },
    clear: () => undefined,
  }
}
