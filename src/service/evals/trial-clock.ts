import { TrialEnd } from './trial-calls.ts'

/** One clock over the trial and the run's wish to stop; whichever comes first is the reason of the abort. */
export function startClock(ms: number, signal: AbortSignal): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const cancel = () => controller.abort(new TrialEnd('cancelled', 'The run was cancelled.'))
  const timer = setTimeout(
    () => controller.abort(new TrialEnd('timed_out', `The trial did not end within ${ms / 1000} s.`)),
    ms,
  )
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}
