import { createInputDecoder, type InputEvent, type Waiting } from './input-decoder.ts'

export type { InputEvent } from './input-decoder.ts'

/** What input needs of the terminal's stream; `process.stdin` fits. */
export type InputStream = {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** Hears all events of one chunk at once, so that a burst of keys can be handled in one update. */
export type EventsListener = (events: InputEvent[]) => void

export type Input = {
  /** Raw mode on, events flow. Also after `pause`. */
  start(): void
  /** Raw mode off, the stream rests; what comes meanwhile is another program's. */
  pause(): void
  /** What was typed and read elsewhere, in Latin-1: a character for each byte. */
  give(bytes: string): void
  /** Like `pause`, and what was held back is forgotten. */
  stop(): void
  /** Adds a listener; the answer removes it. */
  onEvents(listener: EventsListener): () => void
}

/**
 * How long a pause decides: Esc alone is soon the key, a sequence cut by a slow line is waited for longer. The rest of
 * lines that came at once follows at once; that of a report nobody waits for any more is remembered for a moment.
 */
const PATIENCE_MS: Record<Exclude<Waiting, 'nothing'>, number> = {
  'maybe-escape': 50,
  sequence: 500,
  paste: 2000,
  burst: 20,
  'cut-report': 300,
}

/** Events from the terminal's bytes. `before` a chunk of the stream, what was read elsewhere may be given. */
export function createInput(stdin: InputStream, before: () => void = () => undefined): Input {
  const listeners = new Set<EventsListener>()
  let decoder = createInputDecoder()
  let timer: NodeJS.Timeout | undefined
  let isStarted = false

  const deliver = (events: InputEvent[]): void => {
    if (events.length === 0) return
    // A listener may add others, which hear from the next chunk on.
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
