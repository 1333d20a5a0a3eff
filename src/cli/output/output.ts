import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Standard output for data, whose reader may stop at any time, as `head` does. */
export type Output = {
  /** Resolves when there is room for more; drops the text if nobody reads any more. */
  write: (text: string) => Promise<void>
  /** Whether the reader is gone. */
  readonly closed: boolean
  /** Aborts when the reader is gone; if that was a terminal, with the reason SIGHUP. */
  readonly signal: AbortSignal
}

/** Uses standard output for the rest of the process; a reader that is gone does not end the process. */
export function openOutput(stream: NodeJS.WriteStream = process.stdout): Output {
  const gone = new AbortController()
  stream.on('error', error => gone.abort(isLostTerminal(error, stream.isTTY) ? 'SIGHUP' : undefined))
  return {
    async write(text) {
      if (gone.signal.aborted || stream.write(text)) return
      try {
        await once(stream, 'drain', { signal: gone.signal })
      } catch {
        // The reader left while the stream was full.
      }
    },
    get closed() {
      return gone.signal.aborted
    },
    signal: gone.signal,
  }
}

/**
 * Lets a command finish with its own exit code when nobody reads its output any more, as after `| head -1` or on a
 * terminal that is gone. Opens no stream: opening costs milliseconds, and the first writer does it.
 */
export function outliveReaders(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const declared = Object.getOwnPropertyDescriptor(process, name)
    if (declared) Object.defineProperty(process, name, { ...declared, get: () => outliving(name, declared) })
  }
}

function outliving(name: 'stdout' | 'stderr', declared: PropertyDescriptor): NodeJS.WriteStream {
  Object.defineProperty(process, name, declared)
  const stream = process[name]
  stream.on('error', error => {
    if (!isGoneReader(error) && !isLostTerminal(error, stream.isTTY)) throw error
  })
  return stream
}

/**
 * Writes to standard output without opening its stream, which would cost milliseconds; drops the text if nobody reads
 * any more.
 */
export function printDirectly(text: string): void {
  try {
    writeSync(1, text)
  } catch (error) {
    if (!isGoneReader(error) && !isLostTerminal(error, isatty(1))) throw error
  }
}

export function isGoneReader(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

/** Whether an error means that the other end of a terminal is closed; for a file the same code means a broken disk. */
function isLostTerminal(error: unknown, isTerminal: boolean): boolean {
  return isTerminal && error instanceof Error && 'code' in error && error.code === 'EIO'
}
