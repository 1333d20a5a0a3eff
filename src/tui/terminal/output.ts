import { writeNow } from './modes.ts'

/** What the screen needs of the terminal's stream; `process.stdout` fits. */
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

/** Called after each write with its size and how long the terminal took to accept it. */
export type WrittenListener = (bytes: number, milliseconds: number) => void

/**
 * Lets a terminal that takes nothing (Ctrl+S, a line that stalls) hold back its output alone. Node makes such a write
 * wait within the call: no key, no timer, no signal, and no run of the local workspace would get on meanwhile.
 */
export function neverWaitFor(terminal: object): void {
  // Node has no public way to say it; without this one the program waits as it did.
  const { _handle: handle } = terminal as { _handle?: { setBlocking?: (blocking: boolean) => unknown } | null }
  handle?.setBlocking?.(false)
}

/**
 * A terminal that takes nothing for so long is gone, in milliseconds: TCP gives up after a quarter of an hour, and what
 * is between may keep its own end open.
 */
export const GONE_MS = 30 * 60_000

/** Who hears of the terminal. */
export type OutputListeners = {
  /** It was behind and has taken everything. */
  onRoom: () => void
  onWritten?: WrittenListener | undefined
  /** It has taken nothing for {@link GONE_MS}. */
  onGone?: (() => void) | undefined
}

/** The terminal's stream with a count of bytes and with the knowledge whether it takes more. */
export class Output {
  /** Bytes written since the start. */
  bytes = 0
  /** The terminal has not taken all that was sent: what is painted now it would show late. */
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
    // Mostly a write is taken before it returns; the callback would count the program's own work that follows, too.
    if (this.#stream.writableLength === 0) taken()
    else {
      this.blocked = true
      if (!this.#gone) this.#awaitTaking()
    }
  }

  /** Waits again for the terminal to take something of what it has not. */
  #awaitTaking(): void {
    clearTimeout(this.#gone)
    const { onGone } = this.#heard
    this.#gone = this.#stream.writableLength > 0 && onGone ? setTimeout(onGone, GONE_MS).unref() : undefined
  }

  /**
   * Writes before it returns; what is behind already goes first, or the rest of a frame would land where it does not
   * belong.
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

  /** Resolves when the terminal has taken everything. */
  taken(): Promise<void> {
    if (!this.blocked) return Promise.resolve()
    return new Promise(resolve => this.#whenTaken.push(resolve))
  }

  /**
   * Calls back once everything sent so far has left the process, and at once where the terminal is behind: keys do not
   * wait for it.
   */
  barrier(done: () => void): void {
    if (this.#stream.writable && !this.blocked) this.#stream.write('', () => done())
    else done()
  }
}
