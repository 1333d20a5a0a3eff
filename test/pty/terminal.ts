import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { spawn, type IPty } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { recordEffects, type Effect } from './effects.ts'
import { createHome, createUsedHome, minimalEnv, removeHome } from './home.ts'
import { keyBytes, type Key } from './keys.ts'
import { SHORT_LIFE } from './short-life.ts'
import { OneWay, type LineOptions } from './line.ts'
import { terminalOpened } from './started.ts'

/** Milliseconds to wait for the rest of a program's output if another process still holds its terminal. */
const LAST_WORDS_MS = 3_000

export type { Key } from './keys.ts'

const defaultProgram = join(import.meta.dirname, '../../dist/boot.js')

export type TerminalOptions = {
  /** The program; by default `node dist/boot.js`. */
  command?: string
  args?: readonly string[]
  /** Starts the program as users do, without the Node options that save processor time in a short visit. */
  isPlain?: boolean
  /** Variables added to the minimal environment; undefined removes one. */
  env?: Record<string, string | undefined>
  cols?: number
  rows?: number
  cwd?: string
  /** A home to reuse, as `terminal.home` of an earlier start; the caller then removes it. */
  home?: string
  /** If no home is given, starts in one after a first start instead of an empty one. */
  isUsed?: boolean
  /** Keeps the temporary home on close. */
  keepHome?: boolean
  /** The connection between this terminal and the program; by default there is no delay. */
  line?: LineOptions
}

/** How a program ended: an exit code, or the name of the signal that ended it. */
export type Exit = { code: number; signal: NodeJS.Signals | undefined }

/** Text on the screen, a pattern for it, or any condition on the terminal. */
export type Condition = string | RegExp | ((terminal: Terminal) => boolean)

/** One piece of output: its bytes, and its arrival on the clock of `performance.now()`. */
export type Output = { bytes: number; at: number }

/** Starts a program in a real pseudo-terminal, with xterm as its terminal. */
export function openTerminal(options: TerminalOptions = {}): Terminal {
  return new Terminal(options)
}

export class Terminal {
  /** Home directory of the program. */
  readonly home: string
  /** Number of bytes that the program has written so far. */
  bytes = 0
  /** How the program ended, once it has. */
  exit: Exit | undefined
  /** Start of the program on the clock of `performance.now()`. */
  readonly startedAt: number
  /**
   * What the emulator did for the program other than showing text; `unasked.ts` decides which of it was not allowed.
   */
  readonly effects: readonly Effect[]
  /** Called for every piece of output once the screen shows it. */
  onOutput: ((piece: Output) => void) | undefined

  readonly #pty: IPty
  readonly #screen: xterm.Terminal
  readonly #ownsHome: boolean
  readonly #exited = Promise.withResolvers<Exit>()
  /** The program has ended; its last output may still be on the way. */
  readonly #hasEnded = Promise.withResolvers<void>()
  readonly #waiting = new Set<() => void>()
  /** The connections to the program and back. */
  readonly #up: OneWay
  readonly #down: OneWay
  #isLineFull = false
  #isStopped = false
  #raw = ''
  /** The screen at the time it was closed. */
  #lastScreen: string | undefined

  constructor(options: TerminalOptions) {
    const { cols = 120, rows = 40 } = options
    this.home = options.home ?? (options.isUsed ? createUsedHome() : createHome())
    this.#ownsHome = options.home === undefined && options.keepHome !== true
    this.#screen = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000, logLevel: 'off' })
    this.effects = recordEffects(this.#screen)
    terminalOpened({ command: commandLine(options).flat().join(' '), screen: () => this.#lastScreen ?? this.#framed() })
    this.startedAt = performance.now()
    this.#pty = spawn(...commandLine(options), {
      // This name replaces the TERM of the environment.
      name: options.env?.['TERM'] ?? 'xterm-256color',
      cols,
      rows,
      cwd: options.cwd ?? this.home,
      // The terminal's library would pass an undefined variable as the word "undefined".
      env: Object.fromEntries(
        Object.entries({ ...minimalEnv(this.home), ...options.env }).filter(([, value]) => value !== undefined),
      ),
    })
    // The emulator answers queries (cursor position, device attributes) as xterm does.
    this.#screen.onData(answer => this.type(answer))
    this.#up = new OneWay(options.line ?? {})
    this.#down = new OneWay(options.line ?? {}, hasRoom => {
      this.#isLineFull = !hasRoom
      this.#read()
    })
    this.#pty.onData(text => this.#down.send(text, piece => this.#receive(piece)))
    readToItsEnd(this.#pty)
    this.#pty.onExit(({ exitCode, signal }) => {
      const end = () => this.#end({ code: exitCode, signal: signalName(signal) })
      this.#hasEnded.resolve()
      this.#down.act(() => this.#screen.write('', end))
    })
  }

  get pid(): number {
    return this.#pty.pid
  }

  /** Everything the program wrote, control sequences included. */
  get output(): string {
    return this.#raw
  }

  get cols(): number {
    return this.#screen.cols
  }

  get rows(): number {
    return this.#screen.rows
  }

  /** Position of the cursor, zero-based. */
  get cursor(): { x: number; y: number } {
    const { cursorX, cursorY } = this.#screen.buffer.active
    return { x: cursorX, y: cursorY }
  }

  get buffer(): 'normal' | 'alternate' {
    return this.#screen.buffer.active.type
  }

  /** Terminal modes that the program has switched on: bracketed paste, mouse, focus reports and others. */
  get modes(): xterm.IModes {
    return this.#screen.modes
  }

  /** Whether the program's last instruction about the cursor was to show it. */
  get cursorVisible(): boolean {
    return this.#raw.lastIndexOf('\u001B[?25l') <= this.#raw.lastIndexOf('\u001B[?25h')
  }

  /** The visible text, one line a row, without trailing spaces and trailing empty rows. */
  screen(): string {
    return Array.from({ length: this.rows }, (_, y) => this.row(y))
      .join('\n')
      .trimEnd()
  }

  /** The visible text as one line, without borders and scrollbars, so that a wrapped sentence is whole. */
  words(): string {
    return wordsOf(this.screen())
  }

  /** Text of one visible row, zero-based, without trailing spaces. */
  row(y: number): string {
    const { active } = this.#screen.buffer
    return (
      active
        .getLine(active.baseY + y)
        ?.translateToString(true)
        .trimEnd() ?? ''
    )
  }

  /** The cell at a position of the screen, with its colours and attributes. */
  cell(x: number, y: number): xterm.IBufferCell | undefined {
    const { active } = this.#screen.buffer
    return active.getLine(active.baseY + y)?.getCell(x)
  }

  /** Sends text as if typed. */
  type(text: string): void {
    this.#up.send(text, piece => {
      if (!this.exit) this.#pty.write(piece)
    })
  }

  /** Presses keys; several arrive in one piece, as over a connection that stalls. */
  press(...keys: readonly Key[]): void {
    const application = this.modes.applicationCursorKeysMode
    this.type(keys.map(key => keyBytes(key, application)).join(''))
  }

  /** Sends text as xterm pastes it: line ends as Enter, with paste markers if the program asked for them. */
  paste(text: string): void {
    const body = text.replaceAll(/\r?\n/g, '\r')
    this.type(this.modes.bracketedPasteMode ? `\u001B[200~${body}\u001B[201~` : body)
  }

  /**
   * Waits until a condition is true; it is checked now and after every parsed piece of output.
   * @throws with the screen in the message, after `timeout` milliseconds or if the program ends before.
   */
  async waitFor(condition: Condition, timeout = 60_000): Promise<void> {
    const holds = () => this.#holds(condition)
    if (holds()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const fail = (reason: string) =>
      reject(new Error(`${reason} waiting for ${String(condition)}; screen:\n${this.#framed()}`))
    const timer = setTimeout(fail, timeout, `timed out after ${timeout} ms`)
    const look = () => {
      if (holds()) resolve()
      else if (this.exit) fail(`program ended (${describeExit(this.exit)})`)
    }
    this.#waiting.add(look)
    look()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(look)
    }
  }

  /** Resolves when the program has ended and all its output is on the screen. */
  async waitForExit(timeout = 60_000): Promise<Exit> {
    await this.waitFor(terminal => terminal.exit !== undefined, timeout)
    return this.#exited.promise
  }

  /** Stops the terminal from reading output, as if it is suspended or its connection stalls, until `goOnReading`. */
  stopReading(): void {
    this.#isStopped = true
    this.#read()
  }

  goOnReading(): void {
    this.#isStopped = false
    this.#read()
  }

  /** Reports a press and release of the left button on a cell, zero-based, as xterm does in SGR coordinates. */
  click(row: number, column: number): void {
    const at = `0;${column + 1};${row + 1}`
    this.type(`\u001B[<${at}M\u001B[<${at}m`)
  }

  resize(cols: number, rows: number): void {
    this.#screen.resize(cols, rows)
    this.#up.act(() => this.#pty.resize(cols, rows))
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (!this.exit) this.#pty.kill(signal)
  }

  /** Ends the program if it still runs, and removes the home that this terminal created. */
  async close(): Promise<void> {
    this.#lastScreen ??= this.#framed()
    this.kill('SIGKILL')
    await this.#hasEnded.promise
    this.#up.cut()
    this.#down.cut()
    this.#screen.dispose()
    if (this.#ownsHome) removeHome(this.home)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #read(): void {
    if (this.#isStopped || this.#isLineFull) this.#pty.pause()
    else this.#pty.resume()
  }

  #receive(text: string): void {
    const piece = { bytes: Buffer.byteLength(text), at: performance.now() }
    this.bytes += piece.bytes
    this.#raw += text
    this.#screen.write(text, () => {
      this.onOutput?.(piece)
      this.#look()
    })
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }

  #end(exit: Exit): void {
    this.exit = exit
    this.#exited.resolve(exit)
    this.#look()
  }

  #holds(condition: Condition): boolean {
    if (typeof condition === 'function') return condition(this)
    if (typeof condition !== 'string') return condition.test(this.screen())
    // A sentence wraps elsewhere if it contains a longer path.
    return this.screen().includes(condition) || this.words().includes(condition)
  }

  #framed(): string {
    const edge = '─'.repeat(this.cols)
    return `${edge}\n${this.screen()}\n${edge}`
  }
}

/** Text of a screen without borders, scrollbars and line ends. */
export function wordsOf(screen: string): string {
  return screen.replaceAll(/[\s│┃]+/g, ' ')
}

function commandLine({ command, args = [], isPlain = false }: TerminalOptions): [file: string, args: string[]] {
  if (command !== undefined) return [command, [...args]]
  if (!existsSync(defaultProgram)) throw new Error('dist/boot.js is missing; run npm run build first')
  return [process.execPath, [...(isPlain ? [] : SHORT_LIFE), defaultProgram, ...args]]
}

function signalName(number: number | undefined): NodeJS.Signals | undefined {
  if (!number) return undefined
  const names = Object.entries(constants.signals).find(([, value]) => value === number)
  return names?.[0] as NodeJS.Signals | undefined
}

/** The library drops unread output 200 ms after a program has ended, which is too early on a busy machine. */
function readToItsEnd(pty: IPty): void {
  const { _socket: socket } = pty as unknown as { _socket: Socket }
  const destroy = socket.destroy.bind(socket)
  socket.destroy = error => {
    if (error || socket.readableEnded) return destroy(error)
    setTimeout(destroy, LAST_WORDS_MS).unref()
    return socket
  }
}

function describeExit({ code, signal }: Exit): string {
  return signal ? `signal ${signal}` : `code ${code}`
}
