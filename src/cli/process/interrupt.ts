import { isEndingSignal, onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { EXIT } from './exit-codes.ts'

/**
 * Returns a signal that aborts, with the name of the process signal as its reason, when the process is asked to end;
 * asked again, the process ends at once.
 */
export function listenForInterrupt(): { signal: AbortSignal; stop: () => void } {
  const interrupted = new AbortController()
  const stop = onEndingSignal(signal => {
    if (interrupted.signal.aborted) process.exit(signalExitCode(signal))
    interrupted.abort(signal)
  })
  return { signal: interrupted.signal, stop }
}

/** Returns the exit code of interrupted work: 128 plus the number of the process signal, if there was one. */
export function interruptedCode({ reason }: AbortSignal): number {
  return isEndingSignal(reason) ? signalExitCode(reason) : EXIT.interrupted
}
