/**
 * The line between a terminal and the machine on which the program runs, as over ssh. What a full line has not read
 * when the program ends is lost after a moment (node-pty closes its end), so a test quits when the line has caught up.
 */
export type LineOptions = {
  /** How long everything is under way, each way, in milliseconds: half of what a ping shows. */
  delayMs?: number
  /**
   * What it carries in a second, each way; what it cannot carry waits, and beyond a window the program waits with it.
   */
  bytesPerSecond?: number
  /**
   * It carries nothing for the first `forMs` of every `everyMs` milliseconds but the first, counted from its opening.
   */
  stalls?: { everyMs: number; forMs: number }
}

/** As much as waits at the program's side of the line before it takes no more: about what ssh and the kernel hold. */
const WINDOW_BYTES = 8 * 1024
/** What is sent in one piece, in milliseconds of a line that is slow, so that a screen fills as one sees it fill. */
const PIECE_MS = 50

type Item = { arrivesAt: number; bytes: number; deliver: () => void }

/** One direction of a line: what is sent arrives in order, later. Times are on the clock of `performance.now()`. */
export class OneWay {
  readonly #options: LineOptions
  readonly #openedAt = performance.now()
  readonly #onRoom: (hasRoom: boolean) => void
  readonly #items: Item[] = []
  #waitingBytes = 0
  #hasRoom = true
  #freeAt = 0
  #timer: NodeJS.Timeout | undefined

  /** `onRoom` hears when the line takes no more, and when it does again. */
  constructor(options: LineOptions, onRoom: (hasRoom: boolean) => void = () => undefined) {
    this.#options = options
    this.#onRoom = onRoom
  }

  /** Sends text in as many pieces as the line takes it. */
  send(text: string, deliver: (piece: string) => void): void {
    for (const piece of this.#pieces(text)) this.act(() => deliver(piece), Buffer.byteLength(piece))
  }

  /** Does something at the far end when all that was sent before has arrived there. */
  act(deliver: () => void, bytes = 0): void {
    const { delayMs = 0, bytesPerSecond } = this.#options
    const starts = this.#afterStall(Math.max(performance.now(), this.#freeAt))
    this.#freeAt = bytesPerSecond === undefined ? starts : starts + (bytes / bytesPerSecond) * 1000
    this.#items.push({ arrivesAt: this.#freeAt + delayMs, bytes, deliver })
    this.#waitingBytes += bytes
    this.#tellRoom()
    this.#wake()
  }

  /** Nothing arrives any more. */
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

  /** What is under way on a line that is long and not slow does not wait for anything. */
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
