import { abortedError, ApiError } from './api-error.ts'
import type { Clock } from './clock.ts'
import type { AnyEndpoint } from './contract/endpoint.ts'

/**
 * Runs one request under one deadline for headers and body together. It settles in time even when the
 * work ignores its signal, so that no answer can keep a caller waiting.
 */
export async function withDeadline<T>(
  limits: { ms: number; clock: Clock; signal?: AbortSignal | undefined; endpoint: AnyEndpoint },
  work: (signal: AbortSignal) => Promise<T>,
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
  const cancel = clock.after(ms, () => stop(deadlineError(ms, endpoint)))
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work(controller.signal), stopped])
  } finally {
    cancel()
    signal?.removeEventListener('abort', giveUp)
  }
}

function deadlineError(ms: number, endpoint: AnyEndpoint): ApiError {
  const message = `No complete answer within ${ms / 1000} s.`
  return new ApiError({ kind: 'timeout', code: 'deadline', message, endpoint, sent: true })
}
