import { drawableSize } from './size.ts'
import { splitWrite } from './frame-parser.ts'
import { clean } from '../../lib/printable.ts'
import { VirtualStdout } from './virtual-stdout.ts'

/** Milliseconds without a new frame before one is printed: short-lived content is not worth hearing. */
const REST_MS = 60
/** Columns of a line, so that lines are not broken; a narrower terminal wraps them. */
const COLUMNS = 1000

/** The part of the terminal's stream that lines need; `process.stdout` fits. */
export type LineStream = {
  readonly rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export type LineScreen = {
  /** The stream for Ink, rendering for a screen reader. */
  readonly stdout: VirtualStdout
  enter(): void
  /** Prints nothing from now on; there is nothing to restore. */
  leave(): void
  readonly leaving: string
  /** Resolves when the terminal has received everything. */
  taken(): Promise<void>
  /** Prints everything again. */
  redraw(): void
  /** Sends a sequence that shows nothing, such as the bell. */
  control(sequence: string): void
  close(): void
}

/**
 * Replaces a screen: prints what a screen reader should say as plain lines, each once, when it is new. Nothing is ever
 * removed, so the cursor only moves forward and earlier lines can be read again by scrolling. `pointer` marks the
 * selected row; a row that only loses the mark is not news.
 */
export function createLineScreen(out: LineStream, pointer: string): LineScreen {
  let frame: string[] = []
  let printed: ReadonlySet<string> = new Set()
  let isActive = false
  let timer: NodeJS.Timeout | undefined
  const bare = (line: string): string => (line.startsWith(pointer) ? line.slice(pointer.length).trim() : line)
  const isMarked = (line: string): boolean => bare(line) !== line
  const said = (line: string): string => (isMarked(line) ? `${pointer} ${bare(line)}` : line)
  const print = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (!isActive) return
    const fresh = frame.filter(line => !printed.has(line))
    const isMarkLost = [...printed].some(line => isMarked(line) && !frame.includes(line))
    // An overlay has closed: the line with the mark was printed long ago, so it is repeated.
    const news = isMarkLost && !fresh.some(isMarked) ? [...fresh, ...frame.filter(isMarked)] : fresh
    printed = new Set(frame.flatMap(line => [line, bare(line)]))
    if (news.length > 0) out.write(news.map(line => `${said(line)}\r\n`).join(''))
  }
  const stdout = new VirtualStdout({
    columns: () => COLUMNS,
    rows: () => drawableSize(out).rows,
    accept(text) {
      const { body } = splitWrite(text)
      if (body === undefined) return
      frame = linesOf(body)
      // Started only once: content that changes all the time must not delay other changes.
      timer ??= setTimeout(print, REST_MS)
    },
    barrier: done => done(),
  })
  const resized = (): void => void stdout.emit('resize')
  out.on('resize', resized)
  return {
    stdout,
    enter() {
      isActive = true
      printed = new Set()
      print()
    },
    leave() {
      print()
      isActive = false
    },
    leaving: '',
    // Resolves at once, since its writes wait for the terminal.
    taken: () => Promise.resolve(),
    control(sequence) {
      if (isActive) out.write(sequence)
    },
    redraw() {
      printed = new Set()
      print()
    },
    close() {
      clearTimeout(timer)
      out.off('resize', resized)
    },
  }
}

/** Returns the lines with text, without colors and without blanks that only align columns. */
function linesOf(body: string): string[] {
  return body
    .split('\n')
    .map(line =>
      clean(line.replaceAll(/\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, ''))
        .replaceAll(/ {2,}/g, '  ')
        .trim(),
    )
    .filter(line => line !== '')
}
