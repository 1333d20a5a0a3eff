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

/** Returns the zero-based position of the text cursor; undefined if it is not visible. Called at each paint. */
export type CaretPlace = () => { row: number; column: number } | undefined

export type ScreenOptions = {
  /** Wraps long paints in synchronized-output marks (DECSET 2026); the terminal's `reply` can also enable this. */
  synchronized?: boolean
  /** Asks the terminal on `enter` whether it supports synchronized output. */
  askSynchronized?: boolean
  /** Asks the terminal whether it supports the kitty keyboard protocol, which is then used. */
  askKeyboard?: boolean
  /** Also asks the terminal for its background. */
  askBackground?: boolean
  /** Reports mouse buttons and the wheel. */
  mouse?: boolean
  /** Called on each write, to measure the speed of the connection. */
  onWritten?: WrittenListener
  /** Called when the terminal has accepted nothing for very long. */
  onGone?: () => void
  /** Replaces characters of a frame by others of the same width. */
  spell?: (text: string) => string
}

/** A shorter paint reaches the terminal in one piece on any connection, including an ssh packet, and needs no marks. */
const MARKED_FROM = 1000

/** Creates a screen on `out`; writes nothing before `enter`. */
export function createScreen(out: TerminalStream, options: ScreenOptions = {}): Screen {
  return new Screen(out, options)
}

/** The screen of cells between Ink and the terminal: takes frames and regions, and writes only cells that changed. */
export class Screen {
  /**
   * The stream for Ink: `render(tree, { stdout: screen.stdout, alternateScreen: false, incrementalRendering: false })`.
   */
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
  /** Functions that return the cursor's place; the last one takes precedence. */
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

  /** Whether queries may be sent to the terminal. */
  get asks(): boolean {
    return this.#asksKeyboard
  }

  /** Whether the screen controls the terminal, between `enter` and `leave`. */
  get active(): boolean {
    return this.#isActive
  }

  /**
   * Continues from a picture that is already on the terminal, in its alternate screen: only differences are written.
   * Nothing is written until `release`, so that frames without data do not flash in between.
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

  /** Starts painting. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#flush()
  }

  /** Takes over the terminal and paints the current content. */
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
      // The background is requested before it is changed, to get the terminal's own color.
      this.#asksBackground ? ASK_BACKGROUND : '',
      this.#ground === undefined ? '' : groundSequence(this.#ground),
      this.#mouse ? this.#mouseOn() : '',
      this.#hasKeyboard ? modes.KEYBOARD_ON : '',
      this.#asksKeyboard && !this.#hasKeyboard ? modes.ASK_KEYBOARD : '',
      this.#asksSynchronized ? modes.ASK_SYNCHRONIZED : '',
    ].join('')
  }

  /**
   * Restores the terminal before it returns, or after pending output if the terminal is behind; later frames are kept
   * but not written until `enter`.
   */
  leave(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.#output.sendNow(this.leaving)
  }

  /** Returns the sequences that restore the terminal. */
  get leaving(): string {
    return (this.#hasKeyboard ? modes.KEYBOARD_OFF : '') + (this.#ground ? GROUND_BACK : '') + modes.LEAVE
  }

  /** Resolves when the terminal has received everything, so that it is really restored. */
  taken(): Promise<void> {
    return this.#output.taken()
  }

  /**
   * Returns the region with that name at this position, creating it if needed. Later regions are above earlier ones.
   */
  region(id: string, rectangle: Rectangle): Region {
    const region = this.#composition.region(id, rectangle, () => this.#flush())
    return { ...region, paint: lines => region.paint(lines.map(this.#spell)) }
  }

  /**
   * Keeps the terminal's hidden cursor at this place after each paint, where input methods open; returns a function
   * that ends it.
   */
  caret(place: CaretPlace): () => void {
    this.#carets.add(place)
    return () => void this.#carets.delete(place)
  }

  /**
   * Draws a part of the screen in one muted style, except what is drawn above it; undefined ends this. The muting
   * appears with the next frame, which contains what is above.
   */
  quiet(quiet: Quiet | undefined): void {
    this.#composition.quiet(quiet)
  }

  /** Paints once for all changes of `change`. */
  batch(change: () => void): void {
    this.#batches++
    try {
      change()
    } finally {
      this.#batches--
      this.#flush()
    }
  }

  /**
   * Adopts the stream's size, informs Ink and paints everything; called automatically when the stream reports a new
   * size.
   */
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

  /** Sends a sequence that affects neither cells nor cursor, such as a title, OSC 52 or the bell. */
  control(sequence: string): void {
    if (this.#isActive) this.#output.send(sequence)
  }

  /** Sets the terminal's title while the screen controls it. */
  setTitle(text: string): void {
    if (text === this.#title) return
    this.#title = text
    this.control(title(text))
  }

  /**
   * Sets the terminal's default colors while the screen controls it, `#rrggbb` each; undefined for the terminal's own.
   */
  setGround(colours: { ground: string; text: string } | undefined): void {
    if (colours === this.#ground) return
    this.#ground = colours
    this.control(colours === undefined ? GROUND_BACK : groundSequence(colours))
  }

  /** Whether mouse reports are on. */
  get hasMouse(): boolean {
    return this.#mouse
  }

  /** Sets the minimum milliseconds between two paints, for a slow connection. */
  setPause(milliseconds: number): void {
    this.#pauseMs = milliseconds
    clearTimeout(this.#paintsLater)
    this.#paintsLater = undefined
    this.#flush()
  }

  /** Turns mouse reports on or off. */
  setMouse(enabled: boolean): void {
    if (this.#mouse === enabled) return
    this.#mouse = enabled
    this.control(enabled ? this.#mouseOn() : modes.MOUSE_OFF)
  }

  /** Turns reports of mouse moves without a button on or off; they need the other mouse reports. */
  setHover(enabled: boolean): void {
    if (this.#hover === enabled) return
    this.#hover = enabled
    if (this.#mouse) this.control(enabled ? modes.HOVER_ON : modes.HOVER_OFF)
  }

  #mouseOn(): string {
    return modes.MOUSE_ON + (this.#hover ? modes.HOVER_ON : '')
  }

  /** Called on replies that the screen did not request, until a listener returns that it handled the reply. */
  onReply(listener: (sequence: string) => boolean): void {
    this.#replyListeners.add(listener)
  }

  /** Called when the screen takes over the terminal again, which has lost everything but the cells. */
  onEnter(listener: () => void): void {
    this.#enterListeners.add(listener)
  }

  /** Handles a reply of the terminal; returns true if the screen had requested it. */
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

  /** Returns the visible rows as text with SGR; joined by newlines and written to `stdout` they show the same again. */
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
    // Ink writes a frame in pieces (marks, erasing, text): painting waits until all are written.
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

  /** Whether the pause after the last paint continues; changes are painted when it ends. */
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
