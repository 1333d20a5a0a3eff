import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Standard output for data: anyone who reads it may stop at any time, as `head` does. */
export type Output = {
  /** Resolves when there is room for more; what nobody reads any more is dropped. */
  write: (text: string) => Promise<void>
  /** Whether nobody reads any more. */
  readonly closed: boolean
  /** Aborts when nobody reads any more; where that was a terminal, as SIGHUP would say it. */
  readonly signal: AbortSignal
}

/** Takes standard output over for the rest of the process; a reader that is gone ends nothing by itself. */
export function openOutput(stream: NodeJS.WriteStream = process.stdout): Output {
  const gone = new AbortController()
  stream.on('error', error => gone.abort(isLostTerminal(error, stream.isTTY) ? 'SIGHUP' : undefined))
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

/**
 * Lets a command go on to its own end and exit code when nobody reads what it prints any more, as after `| head -1` or
 * on a terminal that is gone. Opens no stream: whoever first asks for one does, and that costs milliseconds.
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
 * Writes to standard output without opening its stream, which costs milliseconds; what nobody reads any more is
 * dropped.
 */
export function printDirectly(text: string): void {
  try {
    writeSync(1, text)
  } catch (error) {
    if (!isGoneReader(error) && !isLostTerminal(error, isatty(1))) throw error
  }
}

function isGoneReader(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

/** What a terminal answers once its other end is closed; of a file the same words tell of a broken disk. */
function isLostTerminal(error: unknown, isTerminal: boolean): boolean {
  return isTerminal && error instanceof Error && 'code' in error && error.code === 'EIO'
}
