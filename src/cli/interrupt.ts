import { EXIT } from './exit-codes.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A signal that aborts when the process is told to end; told a second time, it ends at once. */
export function listenForInterrupt(): { signal: AbortSignal; stop: () => void } {
  const interrupted = new AbortController()
  const onSignal = (): void => {
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted)
    interrupted.abort()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: interrupted.signal,
    stop: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}
