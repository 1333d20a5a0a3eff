import { Readable } from 'node:stream'

/**
 * Ink waits for a timeout before it treats a bare Esc as a key. Esc in the kitty protocol's encoding needs no timeout.
 */
const ESCAPE_AT_ONCE = '\x1b[27u'

/**
 * Ink's stdin: it never reads the terminal; its owner pushes the keys meant for Ink's own widgets. Each push is one
 * input event for `useInput`, even several in a row.
 */
export class StdinProxy extends Readable {
  readonly isTTY = true
  readonly #queue: string[] = []
  #offered: string | undefined

  constructor() {
    super()
    // Assigned, because Node's type of `read` cannot express that there is nothing to read.
    this.read = size => (size === 0 ? null : this.#take())
  }

  /** Passes one key sequence or one text. Without a listening widget it is dropped, not kept for the next one. */
  override push(sequence: string): boolean {
    if (this.listenerCount('readable') === 0) return false
    this.#queue.push(sequence === '\x1b' ? ESCAPE_AT_ONCE : sequence)
    if (this.#queue.length === 1) this.#offer()
    return true
  }

  override _read(): void {}

  override setEncoding(): this {
    return this
  }

  setRawMode(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  #offer(): void {
    this.#offered = this.#queue[0]
    try {
      this.emit('readable')
    } finally {
      // React commits a widget's response to a key in a microtask; the next key must find the widget's new state.
      queueMicrotask(() => {
        this.#queue.shift()
        if (this.#queue.length > 0) this.#offer()
      })
    }
  }

  #take(): string | null {
    const taken = this.#offered ?? null
    this.#offered = undefined
    return taken
  }
}

/** Creates a stdin for Ink, to which its owner pushes keys. */
export function createStdinProxy(): StdinProxy {
  return new StdinProxy()
}
