import { ApiError } from './api-error.ts'
import { advice, type Advice, type AdviceKey } from './error-advice.ts'
import { StorageError } from '../../contract/error.ts'
import { systemErrorText } from './system-error-text.ts'
import { printable } from '../../../lib/printable.ts'
import { ownValue } from '../../../lib/own-value.ts'

/** An error in words. Only some kinds quote the service's own message, `error.message`. */
export type ErrorText = {
  title: string
  sentence: string
  /** Advice for the person. */
  next: string
}

/** Replaces the advice for a failure with an unknown outcome, because a repeat might be a second execution. */
const CHECK_FIRST = 'Check whether it happened, and repeat it only if it did not.'

/**
 * Describes any error. Anything but an {@link ApiError}, a {@link StorageError} or an error of the operating system is
 * a bug of this program.
 */
export function describeError(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) return describeFault(error)
  const { title, sentence, next } = advice[adviceKey(error)]
  const said = { title, sentence: say(sentence, error), next: say(next, error) }
  if (!error.leavesDoubt) return said
  return { title, sentence: `${said.sentence} The change may have happened anyway.`, next: CHECK_FIRST }
}

/** Returns the service's own message, if there is one that the sentence does not quote. */
export function unquotedMessage(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.kind !== 'http') return undefined
  return describeError(error).sentence.includes(printable(error.message).trim()) ? undefined : error.message
}

/**
 * Returns the whole description as one text, the most important first, because a small terminal shows only the
 * beginning.
 */
export function failureSentence(error: unknown): string {
  const { title, sentence, next } = describeError(error)
  if (error instanceof ApiError && error.leavesDoubt) return `${title}; it may have happened anyway. ${next}`
  return `${title}: ${sentence} ${next}`
}

/** Returns the text shown with a thing that failed: the service's own message if it answered, else what to do. */
export function failureWords(error: unknown): string {
  return error instanceof ApiError && error.kind === 'http' ? error.message : failureSentence(error)
}

/** Advice for the case that the machine did not let the program write or open something. */
const MACHINE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'Make room on that disk, then try again.',
  EDQUOT: 'Make room in your share of that disk, then try again.',
  EROFS: 'It can only be read there; name another directory.',
  EACCES: 'Make sure that you may write there, then try again.',
  EPERM: 'Make sure that you may write there, then try again.',
}

const LOOK_THERE = 'Check that it exists and may be written, then try again.'

function describeFault(error: unknown): ErrorText {
  if (error instanceof StorageError) return { title: 'Workspace not usable', sentence: error.message, next: error.next }
  const sentence = `${systemErrorText(error)}.`
  const code = systemCode(error)
  if (code !== undefined)
    return { title: 'Refused by this machine', sentence, next: ownValue(MACHINE_ADVICE, code) ?? LOOK_THERE }
  return {
    title: 'Fault in mcpdeck',
    sentence: `The program failed: ${sentence}`,
    next: 'Try again with --log-file FILE; if it comes back, report it with that file.',
  }
}

/** Returns the code of the operating system, even if the error was reworded. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'syscall' in error && 'code' in error ? String(error.code) : systemCode(error.cause)
}

function adviceKey(error: ApiError): AdviceKey {
  if (error.kind === 'http') return httpKey(error)
  const key = error.kind === 'timeout' || error.kind === 'aborted' ? error.kind : `${error.kind}.${error.code}`
  return isAdviceKey(key) ? key : 'network.other'
}

/**
 * Matches every code of the contract except `environment_model_required`. Our own keys are in lower case, so that an
 * answer cannot select one.
 */
const WIRE_CODE = /^[A-Z][A-Z0-9_]*$/

function httpKey(error: ApiError): AdviceKey {
  if (error.isWrongPath) return 'wrong-path'
  if (error.limit !== undefined && isAdviceKey(error.limit)) return error.limit
  for (const key of [error.reason, error.code])
    if (key !== undefined && WIRE_CODE.test(key) && isAdviceKey(key)) return key
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
