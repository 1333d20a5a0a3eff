import { isEndingSignal, onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { EXIT } from './exit-codes.ts'

/** A signal that aborts, for the reason of its name, when the process is asked to end; asked again, it ends at once. */
export function listenForInterrupt(): { signal: AbortSignal; stop: () => void } {
  const interrupted = new AbortController()
  const stop = onEndingSignal(signal => {
    if (interrupted.signal.aborted) process.exit(signalExitCode(signal))
    interrupted.abort(signal)
  })
  return { signal: interrupted.signal, stop }
}

/** The exit code of work that was interrupted: 128 and the number of the signal that did it, if one did. */
export function interruptedCode({ reason }: AbortSignal): number {
  return isEndingSignal(reason) ? signalExitCode(reason) : EXIT.interrupted
}
