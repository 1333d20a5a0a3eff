import { drawableSize } from './size.ts'
import { splitWrite } from './frame-parser.ts'
import { clean } from '../../lib/printable.ts'
import { VirtualStdout } from './virtual-stdout.ts'

/** How long frames must rest before they are printed, in milliseconds: what flashes by is not worth hearing. */
const REST_MS = 60
/** Lines are as long as what they say; where the terminal is narrower it goes on in further rows. */
const COLUMNS = 1000

/** What lines need of the terminal's stream; `process.stdout` fits. */
export type LineStream = {
  readonly rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export type LineScreen = {
  /** For Ink, rendering for a screen reader. */
  readonly stdout: VirtualStdout
  enter(): void
  /** Tells nothing from now on; there is nothing to give back. */
  leave(): void
  readonly leaving: string
  /** Resolves when the terminal has everything. */
  taken(): Promise<void>
  /** Tells everything again. */
  redraw(): void
  /** Sends a sequence that shows nothing, such as the bell. */
  control(sequence: string): void
  close(): void
}

/**
 * Instead of a screen: prints what a screen reader should say as plain lines, each once, when it is new. Nothing is
 * ever taken back, so the cursor only goes forward and what was said can be read again by scrolling. `pointer` marks
 * the chosen row; a row that merely loses it is no news.
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
    // What was open above has closed: where one is again was printed long ago.
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
      // Started once: what changes all the time must not silence what it changes beside.
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
    // Its writes wait for the terminal.
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

/** The lines that say something, without colours and without the blanks that only put columns straight. */
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
