import { writeNow } from './modes.ts'

/** The part of the terminal's stream that the screen needs; `process.stdout` fits. */
export type TerminalStream = {
  readonly columns?: number
  readonly rows?: number
  readonly fd?: number
  readonly writable: boolean
  readonly writableLength: number
  write(text: string, done?: () => void): boolean
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

/** Called after each write with its size and the time that the terminal took to accept it. */
export type WrittenListener = (bytes: number, milliseconds: number) => void

/**
 * Makes writes to the terminal non-blocking, so that a terminal that accepts nothing (Ctrl+S, a stalled connection)
 * only delays its own output. Otherwise Node waits within the call: no key, timer, signal or run of the local workspace
 * would be handled meanwhile.
 */
export function neverWaitFor(terminal: object): void {
  // Node has no public API for it; without this private one the program blocks as before.
  const { _handle: handle } = terminal as { _handle?: { setBlocking?: (blocking: boolean) => unknown } | null }
  handle?.setBlocking?.(false)
}

/**
 * A terminal that accepts nothing for this many milliseconds is gone: TCP gives up after a quarter of an hour, and
 * programs in between may keep their own end open.
 */
export const GONE_MS = 30 * 60_000

/** Listeners for the terminal's state. */
export type OutputListeners = {
  /** The terminal was behind and has now received everything. */
  onRoom: () => void
  onWritten?: WrittenListener | undefined
  /** The terminal has accepted nothing for {@link GONE_MS}. */
  onGone?: (() => void) | undefined
}

/** The terminal's stream, with a count of bytes and whether it accepts more. */
export class Output {
  /** Bytes written since the start. */
  bytes = 0
  /** Whether the terminal has not accepted everything yet, so that a new paint would appear late. */
  blocked = false
  readonly #stream: TerminalStream
  readonly #heard: OutputListeners
  #whenTaken: (() => void)[] = []
  #gone: NodeJS.Timeout | undefined

  constructor(stream: TerminalStream, heard: OutputListeners) {
    this.#stream = stream
    this.#heard = heard
  }

  send(text: string): void {
    if (text === '' || !this.#stream.writable) return
    const size = Buffer.byteLength(text)
    this.bytes += size
    const startedAt = performance.now()
    let isTaken = false
    const taken = (): void => {
      if (isTaken) return
      isTaken = true
      this.#heard.onWritten?.(size, performance.now() - startedAt)
      this.#awaitTaking()
      if (!this.blocked || this.#stream.writableLength > 0) return
      this.blocked = false
      for (const resolve of this.#whenTaken.splice(0)) resolve()
      this.#heard.onRoom()
    }
    this.#stream.write(text, taken)
    // Usually a write is accepted before it returns; the callback would also count the program's own work that follows.
    if (this.#stream.writableLength === 0) taken()
    else {
      this.blocked = true
      if (!this.#gone) this.#awaitTaking()
    }
  }

  /** Waits again for the terminal to accept pending output. */
  #awaitTaking(): void {
    clearTimeout(this.#gone)
    const { onGone } = this.#heard
    this.#gone = this.#stream.writableLength > 0 && onGone ? setTimeout(onGone, GONE_MS).unref() : undefined
  }

  /**
   * Writes before it returns. Pending output goes first, so that the rest of a frame does not end up in the wrong
   * place.
   */
  sendNow(text: string): void {
    const { fd, writableLength } = this.#stream
    if (fd === undefined || writableLength > 0) {
      this.send(text)
      return
    }
    const rest = writeNow(fd, text)
    this.bytes += Buffer.byteLength(text) - rest.length
    this.send(rest)
  }

  /** Resolves when the terminal has received everything. */
  taken(): Promise<void> {
    if (!this.blocked) return Promise.resolve()
    return new Promise(resolve => this.#whenTaken.push(resolve))
  }

  /**
   * Calls back once everything sent so far has left the process; at once if the terminal is behind, since keys must not
   * wait for it.
   */
  barrier(done: () => void): void {
    if (this.#stream.writable && !this.blocked) this.#stream.write('', () => done())
    else done()
  }
}
