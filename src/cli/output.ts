import { once } from 'node:events'

/** Standard output for data: whoever reads it may stop at any time, as `head` does. */
export type Output = {
  /** Resolves when there is room for more; what nobody reads any more is dropped. */
  write: (text: string) => Promise<void>
  /** Whether nobody reads any more. */
  readonly closed: boolean
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal
}

/** Takes standard output over for the rest of the process; a reader that is gone ends nothing by itself. */
export function openOutput(stream: NodeJS.WriteStream = process.stdout): Output {
  const gone = new AbortController()
  stream.on('error', () => gone.abort())
  return {
    async write(text) {
      if (gone.signal.aborted || stream.write(text)) return
      try {
        await once(stream, 'drain', { signal: gone.signal })
      } catch {
        // The reader left while there was no room.
      }
    },
    get closed() {
      return gone.signal.aborted
    },
    signal: gone.signal,
  }
}
