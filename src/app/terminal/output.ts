import { writeNow } from './modes.ts'

/** What the screen needs of the terminal's stream; `process.stdout` fits. */
export type TerminalStream = {
  readonly columns?: number
  readonly rows?: number
  readonly fd?: number
  readonly writable: boolean
  readonly writableLength: number
  write(text: string, done?: () => void): boolean
  on(event: 'resize' | 'drain', listener: () => void): unknown
  off(event: 'resize' | 'drain', listener: () => void): unknown
}

/** Called after each write with its size and how long the terminal took to accept it. */
export type WrittenListener = (bytes: number, milliseconds: number) => void

/** The terminal's stream with a count of bytes and with the knowledge whether it takes more. */
export class Output {
  /** Bytes written since the start. */
  bytes = 0
  /** The stream is full: nothing more should be written before `drain`. */
  blocked = false
  readonly #stream: TerminalStream
  readonly #onWritten: WrittenListener | undefined

  constructor(stream: TerminalStream, onWritten: WrittenListener | undefined) {
    this.#stream = stream
    this.#onWritten = onWritten
  }

  send(text: string): void {
    if (text === '' || !this.#stream.writable) return
    const size = Buffer.byteLength(text)
    this.bytes += size
    const listener = this.#onWritten
    if (listener === undefined) this.blocked = !this.#stream.write(text)
    else {
      const startedAt = performance.now()
      let isTold = false
      const tell = (): void => {
        if (!isTold) listener(size, performance.now() - startedAt)
        isTold = true
      }
      this.blocked = !this.#stream.write(text, tell)
      // A terminal takes a write before it returns; the callback would count the program's own work that follows, too.
      if (this.#stream.writableLength === 0) tell()
    }
  }

  /**
   * Writes before it returns. What the stream still holds lands on the terminal later, so `again` follows behind it.
   */
  sendNow(text: string, again: string): void {
    const { fd, writableLength } = this.#stream
    if (fd === undefined) {
      this.send(text)
      return
    }
    this.bytes += Buffer.byteLength(text)
    writeNow(fd, text)
    if (writableLength > 0) this.send(again)
  }

  /** Calls back once everything sent so far has left the process. */
  barrier(done: () => void): void {
    if (this.#stream.writable) this.#stream.write('', () => done())
    else done()
  }
}
