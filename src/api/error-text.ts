import { ApiError } from './api-error.ts'
import { advice, type Advice, type AdviceKey } from './error-advice.ts'

/** An error in words. The service's own words are `error.message`, which this does not repeat. */
export type ErrorText = {
  /** A few words for a heading. */
  title: string
  /** What happened. */
  sentence: string
  /** What to do now. */
  next: string
}

/** Words for any error; what is no {@link ApiError} is a fault of this program. */
export function describeError(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) return describeFault(error)
  const { title, sentence, next } = advice[adviceKey(error)]
  const said = { title, sentence: say(sentence, error), next: say(next, error) }
  if (!error.leavesDoubt) return said
  return {
    title,
    sentence: `${said.sentence} The change may have happened all the same.`,
    next: `Look whether it happened before repeating. ${said.next}`,
  }
}

function describeFault(error: unknown): ErrorText {
  const words = error instanceof Error ? error.message : String(error)
  return {
    title: 'Fault in mcpdeck',
    sentence: `The program failed by itself: ${words}`,
    next: 'Try again; if it comes back, report it with the log file.',
  }
}

function adviceKey(error: ApiError): AdviceKey {
  if (error.kind === 'http') return httpKey(error)
  const key =
    error.kind === 'timeout' || error.kind === 'aborted' ? error.kind : `${error.kind}.${error.code}`
  return isAdviceKey(key) ? key : 'network.other'
}

function httpKey(error: ApiError): AdviceKey {
  for (const key of [error.limit, error.reason, error.code])
    if (key !== undefined && isAdviceKey(key)) return key
  if (error.status !== undefined && error.status < 400) return 'redirect'
  if (error.answer === 'html') return 'proxy-page'
  return error.answer === 'contract' ? 'unknown-code' : 'foreign-answer'
}

function isAdviceKey(key: string): key is AdviceKey {
  return Object.hasOwn(advice, key)
}

function say(text: Advice['next'], error: ApiError): string {
  return typeof text === 'string' ? text : text(error)
}
