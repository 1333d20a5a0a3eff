import { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { clean } from '../../tui/theme/text.ts'
import { EXIT } from '../process/exit-codes.ts'
import { say } from './prose.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * An error in one line for people: what happened, what to do, and the service's own words where it gave some.
 * @param advice what to do, where the caller knows better than the error does
 */
export function errorLine(error: unknown, advice?: string): string {
  const { title, sentence, next } = describeError(error)
  const words = clean(unquotedMessage(error) ?? '')
  return `${title}: ${sentence} ${advice ?? next}${words ? ` The service says: ${words}` : ''}`
}

/** A refusal before sending is wrong usage; everything else that went wrong has no verdict. */
export function exitCodeOfError(error: unknown): number {
  return error instanceof ApiError && error.kind === 'refused' && USAGE.has(error.code ?? '')
    ? EXIT.usage
    : EXIT.noVerdict
}

const USAGE: ReadonlySet<string> = new Set(['read-only', 'invalid-input', 'invalid-key', 'invalid-address'])

/** Says on standard error what went wrong; resolves to the exit code. @throws UsageError as it is */
export function reportError(error: unknown): number {
  if (error instanceof UsageError) throw error
  say(errorLine(error))
  return exitCodeOfError(error)
}
