import { abortedError, ApiError } from '../errors/api-error.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** How many deadlines an answer may take that goes on arriving. */
const MOST_DEADLINES = 20

/**
 * Runs one request under a deadline that counts inactivity: `heard` starts it again, so that a long answer on a slow
 * line is read to its end. It settles in time even when the work ignores its signal, and after twenty deadlines in any
 * case, so that no answer can keep a caller waiting.
 */
export async function withDeadline<T>(
  limits: { ms: number; clock: Clock; signal?: AbortSignal | undefined; endpoint: AnyEndpoint },
  work: (signal: AbortSignal, heard: () => void) => Promise<T>,
): Promise<T> {
  const { ms, clock, signal, endpoint } = limits
  if (signal?.aborted) throw abortedError(false, endpoint)
  const controller = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (error: ApiError) => {
    reject(error)
    controller.abort(error)
  }
  const giveUp = () => stop(abortedError(true, endpoint))
  const stopAfter = (time: number, message: string) => clock.after(time, () => stop(deadlineError(message, endpoint)))
  const silence = () => stopAfter(ms, `Nothing arrived for ${ms / 1000} s.`)
  let cancelSilence = silence()
  let hasEnded = false
  const heard = () => {
    cancelSilence()
    // What still arrives of an answer that nobody waits for must not keep the process.
    if (!hasEnded) cancelSilence = silence()
  }
  const whole = ms * MOST_DEADLINES
  const cancelWhole = stopAfter(whole, `The answer was not complete after ${whole / 1000} s.`)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work(controller.signal, heard), stopped])
  } finally {
    hasEnded = true
    cancelSilence()
    cancelWhole()
    signal?.removeEventListener('abort', giveUp)
  }
}

/**
 * Waits for what other requests wait for too; the signal of one ends its own wait and leaves theirs alone.
 * @throws ApiError of kind `aborted`
 */
export async function sharedWait<T>(
  work: Promise<T>,
  { signal, endpoint }: { signal?: AbortSignal | undefined; endpoint: AnyEndpoint },
): Promise<T> {
  if (!signal) return await work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(abortedError(false, endpoint))
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function deadlineError(message: string, endpoint: AnyEndpoint): ApiError {
  return new ApiError({ kind: 'timeout', code: 'deadline', message, endpoint, sent: true })
}
