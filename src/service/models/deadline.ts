import { ServiceError } from '../core/errors.ts'

/** Longest wait for one thing that models do in a session: a turn with all its tool calls, or its grading. */
export const MODEL_DEADLINE_MS = 300_000

/**
 * Gives work so many milliseconds.
 * @throws ServiceError `TIMEOUT` when they are over; the signal's reason when it aborts first
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(ms)
  try {
    return await work(AbortSignal.any([signal, timeout]))
  } catch (error) {
    signal.throwIfAborted()
    if (!timeout.aborted) throw error
    throw new ServiceError('TIMEOUT', `The model did not finish within ${ms / 1000} s.`, { cause: error })
  }
}
