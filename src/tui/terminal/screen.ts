import { drawableSize } from './size.ts'
import type { Row } from './cells.ts'
import { ASK_BACKGROUND, GROUND_BACK, groundSequence } from './background.ts'
import { Composition, type Quiet } from './composition.ts'
import { splitWrite, type FrameWrite } from './frame-parser.ts'
import * as modes from './modes.ts'
import { title } from './osc.ts'
import { Output, type TerminalStream, type WrittenListener } from './output.ts'
import { createPainter, rowText } from './painter.ts'
import type { Rectangle, Region } from './region.ts'
import { VirtualStdout } from './virtual-stdout.ts'

/** Where a text is being typed, zero-based; undefined if that does not show. Asked at each paint. */
export type CaretPlace = () => { row: number; column: number } | undefined

export type ScreenOptions = {
  /** Wrap long paints in synchronized-output marks (DECSET 2026); the terminal's `reply` can also say so. */
  synchronized?: boolean
  /** Ask the terminal on `enter` whether it has synchronized output. */
  askSynchronized?: boolean
  /** Ask it whether it has the kitty keyboard protocol, which is then used. */
  askKeyboard?: boolean
  /** Ask it also for its background. */
  askBackground?: boolean
  /** Report mouse buttons and the wheel. */
  mouse?: boolean
  /** Called on each write, to measure how fast the line is. */
  onWritten?: WrittenListener
  /** Hears that the terminal has taken nothing for very long. */
  onGone?: () => void
  /** Puts other characters for some of a frame's, each as wide as the one that it replaces. */
  spell?: (text: string) => string
}

/** A shorter paint reaches the terminal in one piece on any line, a packet of ssh's included, and needs no marks. */
const MARKED_FROM = 1000

/** A screen on `out`; nothing is written before `enter`. */
export function createScreen(out: TerminalStream, options: ScreenOptions = {}): Screen {
  return new Screen(out, options)
}

/** The screen of cells between Ink and the terminal: takes frames and regions, writes only cells that changed. */
export class Screen {
  /** For Ink: `render(tree, { stdout: screen.stdout, alternateScreen: false, incrementalRendering: false })`. */
  readonly stdout: VirtualStdout
  readonly #out: TerminalStream
  readonly #output: Output
  readonly #composition = new Composition()
  readonly #painter = createPainter()
  readonly #spell: (text: string) => string
  readonly #asksSynchronized: boolean
  #painted: Row[] = []
  #cursor: FrameWrite['cursor']
  #isCursorShown = false
  #mustClear = true
  #isActive = false
  #isScheduled = false
  #isHeld = false
  #batches = 0
  #pauseMs = 0
  #paintedAt = 0
  #paintsLater: NodeJS.Timeout | undefined
  readonly #asksBackground: boolean
  readonly #asksKeyboard: boolean
  #hasKeyboard = false
  #synchronized: boolean
  #mouse: boolean
  #hover = false
  #title: string | undefined
  #ground: { ground: string; text: string } | undefined
  /** Those who know where a caret is, the nearest to the person last. */
  readonly #carets = new Set<CaretPlace>()
  readonly #replyListeners = new Set<(sequence: string) => boolean>()
  readonly #enterListeners = new Set<() => void>()

  constructor(out: TerminalStream, options: ScreenOptions) {
    this.#out = out
    this.#output = new Output(out, { ...options, onRoom: () => this.#flush() })
    this.#spell = options.spell ?? (text => text)
    this.#asksSynchronized = options.askSynchronized ?? false
    this.#asksBackground = options.askBackground ?? false
    this.#asksKeyboard = options.askKeyboard ?? false
    this.#synchronized = options.synchronized ?? false
    this.#mouse = options.mouse ?? false
    this.#adoptSize()
    this.stdout = new VirtualStdout({
      columns: () => this.columns,
      rows: () => this.rows,
      accept: text => this.#accept(text),
      barrier: done => {
        this.#flush()
        this.#output.barrier(done)
      },
    })
    out.on('resize', this.resize)
  }

  /** Bytes written to the terminal since the start. */
  get bytes(): number {
    return this.#output.bytes
  }

  get columns(): number {
    return this.#composition.columns
  }

  get rows(): number {
    return this.#composition.rows
  }

  /** Whether the terminal may be asked what it is. */
  get asks(): boolean {
    return this.#asksKeyboard
  }

  /** Whether the terminal is ours, between `enter` and `leave`. */
  get active(): boolean {
    return this.#isActive
  }

  /**
   * Goes on from a picture that is on the terminal already, in its alternate screen: only what differs is written.
   * Until `release` nothing is, so that frames without data do not flash between the picture and the first ones with
   * it.
   */
  adopt(lines: readonly string[]): void {
    this.#composition.setFrame([...lines])
    this.#painted = Array.from({ length: this.rows }, (_, row) => this.#composition.compose(row))
    this.#composition.visitChanged(() => {})
    this.#mustClear = false
    this.#isActive = true
    this.#isHeld = true
    this.#output.send(this.#modesToSet())
  }

  /** Paints from now on. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#flush()
  }

  /** Takes over the terminal and paints what is known. */
  enter(): void {
    if (this.#isActive) return
    this.#isActive = true
    this.#isCursorShown = false
    this.#isHeld = false
    this.#output.send(modes.ENTER + this.#modesToSet())
    for (const listener of this.#enterListeners) listener()
    this.redraw()
  }

  #modesToSet(): string {
    return [
      this.#title === undefined ? '' : title(this.#title),
      // Asked before it is changed: the answer is to be the terminal's own.
      this.#asksBackground ? ASK_BACKGROUND : '',
      this.#ground === undefined ? '' : groundSequence(this.#ground),
      this.#mouse ? this.#mouseOn() : '',
      this.#hasKeyboard ? modes.KEYBOARD_ON : '',
      this.#asksKeyboard && !this.#hasKeyboard ? modes.ASK_KEYBOARD : '',
      this.#asksSynchronized ? modes.ASK_SYNCHRONIZED : '',
    ].join('')
  }

  /**
   * Gives the terminal back before it returns, or in its turn when the terminal is behind; frames after that are kept
   * but not written until `enter`.
   */
  leave(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.#output.sendNow(this.leaving)
  }

  /** What gives the terminal back. */
  get leaving(): string {
    return (this.#hasKeyboard ? modes.KEYBOARD_OFF : '') + (this.#ground ? GROUND_BACK : '') + modes.LEAVE
  }

  /** Resolves when the terminal has taken everything, so that it has really been given back. */
  taken(): Promise<void> {
    return this.#output.taken()
  }

  /** The region of that name, put at this place; created when it is new. Later regions are above earlier ones. */
  region(id: string, rectangle: Rectangle): Region {
    const region = this.#composition.region(id, rectangle, () => this.#flush())
    return { ...region, paint: lines => region.paint(lines.map(this.#spell)) }
  }

  /**
   * Keeps the terminal's cursor, hidden, where this says after each paint: input methods open there. The answer ends
   * it.
   */
  caret(place: CaretPlace): () => void {
    this.#carets.add(place)
    return () => void this.#carets.delete(place)
  }

  /**
   * Draws what is on a part of the screen in one quiet look, but for what is above it; undefined ends that. It shows
   * with the next frame, which brings what is above.
   */
  quiet(quiet: Quiet | undefined): void {
    this.#composition.quiet(quiet)
  }

  /** Paints once for everything that `change` changes. */
  batch(change: () => void): void {
    this.#batches++
    try {
      change()
    } finally {
      this.#batches--
      this.#flush()
    }
  }

  /** Adopts the stream's size, informs Ink and paints everything; happens by itself when the stream says so. */
  readonly resize = (): void => {
    this.#adoptSize()
    this.#painter.forget()
    this.#mustClear = true
    this.#isHeld = false
    this.stdout.emit('resize')
    this.#flush()
  }

  /** Clears and paints everything again, after something else wrote to the terminal. */
  redraw(): void {
    this.#painter.forget()
    this.#mustClear = true
    this.#flush()
  }

  /** Sends a sequence that touches neither cells nor cursor, such as a title, OSC 52 or the bell. */
  control(sequence: string): void {
    if (this.#isActive) this.#output.send(sequence)
  }

  /** The terminal's title while it is ours. */
  setTitle(text: string): void {
    if (text === this.#title) return
    this.#title = text
    this.control(title(text))
  }

  /** The terminal's default colours while it is ours, `#rrggbb` each; undefined = its own. */
  setGround(colours: { ground: string; text: string } | undefined): void {
    if (colours === this.#ground) return
    this.#ground = colours
    this.control(colours === undefined ? GROUND_BACK : groundSequence(colours))
  }

  /** Whether mouse reports are on. */
  get hasMouse(): boolean {
    return this.#mouse
  }

  /** Leaves at least so many milliseconds between two paints, for a line that does not take more. */
  setPause(milliseconds: number): void {
    this.#pauseMs = milliseconds
    clearTimeout(this.#paintsLater)
    this.#paintsLater = undefined
    this.#flush()
  }

  /** Switches mouse reports. */
  setMouse(enabled: boolean): void {
    if (this.#mouse === enabled) return
    this.#mouse = enabled
    this.control(enabled ? this.#mouseOn() : modes.MOUSE_OFF)
  }

  /** Switches reports of where the mouse is while no button is pressed; they come only with the others. */
  setHover(enabled: boolean): void {
    if (this.#hover === enabled) return
    this.#hover = enabled
    if (this.#mouse) this.control(enabled ? modes.HOVER_ON : modes.HOVER_OFF)
  }

  #mouseOn(): string {
    return modes.MOUSE_ON + (this.#hover ? modes.HOVER_ON : '')
  }

  /** Called on replies that the screen did not ask for, until somebody answers that it was meant. */
  onReply(listener: (sequence: string) => boolean): void {
    this.#replyListeners.add(listener)
  }

  /** Called when the screen takes over the terminal again, which has forgotten what was sent beside the cells. */
  onEnter(listener: () => void): void {
    this.#enterListeners.add(listener)
  }

  /** Hands over a reply of the terminal's; true when it was one the screen asks for. */
  reply(sequence: string): boolean {
    if (this.#asksKeyboard && modes.isKeyboardReply(sequence)) {
      if (!this.#hasKeyboard) this.control(modes.KEYBOARD_ON)
      this.#hasKeyboard = true
      return true
    }
    const answer = modes.synchronizedReply(sequence)
    if (answer !== undefined) this.#synchronized = answer
    return answer !== undefined || [...this.#replyListeners].some(listener => listener(sequence))
  }

  /** The rows as shown, as text with SGR; joined by newlines and written to `stdout` they show the same again. */
  snapshot(): string[] {
    return Array.from({ length: this.rows }, (_, row) => rowText(this.#composition.compose(row)))
  }

  /** Stops listening to the stream. */
  close(): void {
    this.#out.off('resize', this.resize)
    clearTimeout(this.#paintsLater)
  }

  #adoptSize(): void {
    const { columns, rows } = drawableSize(this.#out)
    this.#composition.resize(columns, rows)
  }

  #accept(text: string): void {
    const { body, cursor, hidesCursor } = splitWrite(this.#spell(text))
    if (body !== undefined || cursor !== undefined || hidesCursor) this.#cursor = cursor
    if (body !== undefined) this.#composition.setFrame(body.split('\n'))
    if (this.#isScheduled) return
    // Ink writes a frame in pieces (marks, erasing, text): painting waits until it has written all of them.
    this.#isScheduled = true
    queueMicrotask(() => {
      if (this.#isScheduled) this.#flush()
    })
  }

  #flush(): void {
    this.#isScheduled = false
    if (!this.#isActive || this.#isHeld || this.#output.blocked || this.#batches > 0) return
    if (this.#waits()) return
    if (this.#mustClear) {
      this.#painter.clear()
      this.#painted = new Array<Row>(this.rows).fill(this.#composition.blank)
      this.#composition.touchAll()
      this.#mustClear = false
    }
    this.#composition.visitChanged((row, composed) => {
      const before = this.#painted[row] ?? this.#composition.blank
      if (composed !== before) this.#painter.paintRow(row, composed, before)
      this.#painted[row] = composed
    })
    this.#placeCursor()
    const text = this.#painter.take()
    if (text === '') return
    this.#paintedAt = performance.now()
    const isMarked = this.#synchronized && text.length >= MARKED_FROM
    this.#output.send(isMarked ? modes.SYNCHRONIZED_BEGIN + text + modes.SYNCHRONIZED_END : text)
  }

  /** Whether the pause after the last paint is not over; what has changed is painted when it is. */
  #waits(): boolean {
    if (this.#pauseMs === 0) return false
    const rest = this.#paintedAt + this.#pauseMs - performance.now()
    if (rest <= 0) return false
    this.#paintsLater ??= setTimeout(() => {
      this.#paintsLater = undefined
      this.#flush()
    }, rest)
    return true
  }

  #placeCursor(): void {
    const column = this.#cursor?.column ?? this.columns
    const row = this.#composition.lineCount - 1 - (this.#cursor?.up ?? 0)
    const isVisible = column < this.columns && row >= 0 && row < this.rows
    const caret = isVisible ? { row, column } : [...this.#carets].at(-1)?.()
    if (caret && caret.row < this.rows && caret.column < this.columns) this.#painter.moveTo(caret.row, caret.column)
    if (isVisible !== this.#isCursorShown) this.#painter.add(isVisible ? '\x1b[?25h' : '\x1b[?25l')
    this.#isCursorShown = isVisible
  }
}
