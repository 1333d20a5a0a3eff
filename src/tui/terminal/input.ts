import { createInputDecoder, type InputEvent, type Waiting } from './input-decoder.ts'

export type { InputEvent } from './input-decoder.ts'

/** The part of the terminal's stream that input needs; `process.stdin` fits. */
export type InputStream = {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** Receives all events of one chunk at once, so that a burst of keys can be handled in one update. */
export type EventsListener = (events: InputEvent[]) => void

export type Input = {
  /** Turns raw mode on and starts events, also after `pause`. */
  start(): void
  /** Turns raw mode off and stops reading; input then belongs to another program. */
  pause(): void
  /** Adds input that was read elsewhere, in Latin-1: a character for each byte. */
  give(bytes: string): void
  /** Like `pause`, and drops held-back input. */
  stop(): void
  /** Adds a listener; returns a function that removes it. */
  onEvents(listener: EventsListener): () => void
}

/**
 * Milliseconds without input after which held-back input is decided. Esc alone soon counts as the key; a sequence that
 * a slow connection has cut has more time. The rest of lines that arrived at once follows at once; a report that is no
 * longer awaited is remembered for a moment.
 */
const PATIENCE_MS: Record<Exclude<Waiting, 'nothing'>, number> = {
  'maybe-escape': 50,
  sequence: 500,
  paste: 2000,
  burst: 20,
  'cut-report': 300,
}

/**
 * Returns events from the terminal's bytes. `before` is called before each chunk of the stream, and may give input that
 * was read elsewhere.
 */
export function createInput(stdin: InputStream, before: () => void = () => undefined): Input {
  const listeners = new Set<EventsListener>()
  let decoder = createInputDecoder()
  let timer: NodeJS.Timeout | undefined
  let isStarted = false

  const deliver = (events: InputEvent[]): void => {
    if (events.length === 0) return
    // A listener may add others, which receive events from the next chunk on.
    for (const listener of new Set(listeners)) listener(events)
  }
  const onChunk = (chunk: Uint8Array | string): void => {
    before()
    onData(chunk)
  }
  const onData = (chunk: Uint8Array | string): void => {
    clearTimeout(timer)
    const events = decoder.push(chunk)
    wait()
    deliver(events)
  }
  const wait = (): void => {
    const waiting = decoder.waiting()
    if (waiting === 'nothing') return
    timer = setTimeout(() => {
      const events = decoder.flush()
      wait()
      deliver(events)
    }, PATIENCE_MS[waiting])
  }
  const pause = (): void => {
    clearTimeout(timer)
    if (!isStarted) return
    isStarted = false
    stdin.off('data', onChunk)
    stdin.pause()
    if (stdin.isTTY === true) stdin.setRawMode?.(false)
  }
  return {
    pause,
    start() {
      if (isStarted) return
      isStarted = true
      if (stdin.isTTY === true) stdin.setRawMode?.(true)
      stdin.on('data', onChunk)
      stdin.resume()
    },
    stop() {
      pause()
      decoder = createInputDecoder()
    },
    give(bytes) {
      onData(Buffer.from(bytes, 'latin1'))
    },
    onEvents(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
