/**
 * The connection between a terminal and the machine on which the program runs, as over ssh. Output that a full
 * connection has not read when the program ends is lost after a moment (node-pty closes its end), so a test quits once
 * the connection has caught up.
 */
export type LineOptions = {
  /** Delay of everything in each direction, in milliseconds: half of the time that ping shows. */
  delayMs?: number
  /** Bytes a second in each direction. Excess output waits, and beyond a window the program waits with it. */
  bytesPerSecond?: number
  /**
   * The connection carries nothing for the first `forMs` of every `everyMs` milliseconds, except in the first period
   * after it was opened.
   */
  stalls?: { everyMs: number; forMs: number }
}

/**
 * Number of bytes that wait at the program's side before the connection accepts no more: about as much as ssh and the
 * kernel hold.
 */
const WINDOW_BYTES = 8 * 1024
/**
 * Duration of one piece on a slow connection in milliseconds, so that a screen fills gradually, as a person would see
 * it.
 */
const PIECE_MS = 50

type Item = { arrivesAt: number; bytes: number; deliver: () => void }

/**
 * One direction of a connection: everything arrives in order after a delay. Times are on the clock of
 * `performance.now()`.
 */
export class OneWay {
  readonly #options: LineOptions
  readonly #openedAt = performance.now()
  readonly #onRoom: (hasRoom: boolean) => void
  readonly #items: Item[] = []
  #waitingBytes = 0
  #hasRoom = true
  #freeAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Calls `onRoom` when the connection accepts no more output, and when it does again. */
  constructor(options: LineOptions, onRoom: (hasRoom: boolean) => void = () => undefined) {
    this.#options = options
    this.#onRoom = onRoom
  }

  /** Sends text in as many pieces as the connection takes. */
  send(text: string, deliver: (piece: string) => void): void {
    for (const piece of this.#pieces(text)) this.act(() => deliver(piece), Buffer.byteLength(piece))
  }

  /** Runs an action at the far end once everything sent before has arrived there. */
  act(deliver: () => void, bytes = 0): void {
    const { delayMs = 0, bytesPerSecond } = this.#options
    const starts = this.#afterStall(Math.max(performance.now(), this.#freeAt))
    this.#freeAt = bytesPerSecond === undefined ? starts : starts + (bytes / bytesPerSecond) * 1000
    this.#items.push({ arrivesAt: this.#freeAt + delayMs, bytes, deliver })
    this.#waitingBytes += bytes
    this.#tellRoom()
    this.#wake()
  }

  /** Stops delivering anything. */
  cut(): void {
    clearTimeout(this.#timer)
    this.#items.length = 0
  }

  /** Without delay and limits everything arrives before `send` returns. */
  #wake(): void {
    clearTimeout(this.#timer)
    while (this.#items.length > 0) {
      const wait = this.#items[0]!.arrivesAt - performance.now()
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#wake(), Math.ceil(wait))
        break
      }
      const { bytes, deliver } = this.#items.shift()!
      this.#waitingBytes -= bytes
      deliver()
    }
    this.#tellRoom()
  }

  #tellRoom(): void {
    const hasRoom = this.#waitingBytes < this.#window()
    if (hasRoom === this.#hasRoom) return
    this.#hasRoom = hasRoom
    this.#onRoom(hasRoom)
  }

  /** On a connection with delay but without a rate limit, output does not wait for earlier output. */
  #window(): number {
    const { bytesPerSecond, delayMs = 0, stalls } = this.#options
    if (bytesPerSecond === undefined) return stalls ? WINDOW_BYTES : Number.POSITIVE_INFINITY
    return WINDOW_BYTES + (bytesPerSecond * delayMs) / 1000
  }

  #afterStall(at: number): number {
    const { stalls } = this.#options
    if (!stalls) return at
    const sinceOpening = at - this.#openedAt
    const within = sinceOpening % stalls.everyMs
    return sinceOpening >= stalls.everyMs && within < stalls.forMs ? at - within + stalls.forMs : at
  }

  #pieces(text: string): string[] {
    const { bytesPerSecond } = this.#options
    if (bytesPerSecond === undefined) return [text]
    const length = Math.max(1, Math.floor((bytesPerSecond * PIECE_MS) / 1000))
    const characters = [...text]
    return Array.from({ length: Math.ceil(characters.length / length) }, (_, index) =>
      characters.slice(index * length, (index + 1) * length).join(''),
    )
  }
}
