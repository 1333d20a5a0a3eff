import { ApiError } from '../client/errors/api-error.ts'
import { resultOf } from '../client/journal/entry.ts'
import type { Intent } from '../client/journal/journal.ts'

/** What the attempts of one call tell about themselves. */
export type Attempts = {
  /** Called right before a request may leave. */
  leaving: () => void
  failed: (error: unknown) => void
}

/** Runs the attempts of a write under its entry in the journal; answers and errors pass unchanged. */
export async function recorded<T extends { value: unknown }>(
  intent: Intent,
  send: (attempts: Attempts) => Promise<T>,
): Promise<T> {
  let left = false
  // A later refusal does not prove that an earlier attempt, whose answer was lost, did nothing.
  let doubtful = false
  const attempts: Attempts = {
    leaving() {
      if (!left) intent.sent()
      left = true
    },
    failed(error) {
      doubtful ||= !(error instanceof ApiError) || error.leavesDoubt
    },
  }
  let answer: T
  try {
    answer = await send(attempts)
  } catch (error) {
    const code = error instanceof ApiError ? (error.code ?? error.kind) : 'fault'
    intent.settle({ outcome: doubtful ? 'unknown' : 'refused', code })
    throw error
  }
  intent.settle({ outcome: 'succeeded', result: resultOf(answer.value) })
  return answer
}
