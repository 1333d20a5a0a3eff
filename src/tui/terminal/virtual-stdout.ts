import { Writable } from 'node:stream'

/** The functions of the screen that Ink's stream needs. */
export type StdoutSource = {
  columns(): number
  rows(): number
  /** Receives one write of Ink. */
  accept(text: string): void
  /** Calls back once everything written so far has left the process; at once if the terminal is behind. */
  barrier(done: () => void): void
}

/** The stream passed to Ink as `stdout`: looks like a terminal, but never writes to one by itself. */
export class VirtualStdout extends Writable {
  readonly isTTY = true
  readonly #source: StdoutSource

  constructor(source: StdoutSource) {
    super({ decodeStrings: false })
    this.#source = source
    // Every component that follows the window's size listens.
    this.setMaxListeners(0)
  }

  get columns(): number {
    return this.#source.columns()
  }

  get rows(): number {
    return this.#source.rows()
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = typeof chunk === 'string' ? chunk : chunk.toString()
    // Ink writes an empty text with a callback to learn that earlier frames were written.
    if (text === '') this.#source.barrier(done)
    else {
      this.#source.accept(text)
      done()
    }
  }
}
