import { ApiError } from '../../api/client/errors/api-error.ts'
import { quoted } from '../../api/client/errors/field-issues.ts'
import { describeError, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { clean } from '../../tui/theme/text.ts'
import { EXIT } from '../process/exit-codes.ts'
import { defined } from '../../lib/json.ts'
import { jsonText } from '../../lib/printable.ts'
import { errorsAreJson } from './error-format.ts'
import { say } from './prose.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Describes an error in one line for people: what happened, what to do, and the service's message if there is one.
 * @param advice what to do, if the caller knows better than the error does
 */
export function errorLine(error: unknown, advice?: string): string {
  const { title, sentence, next } = describeError(error)
  const unquoted = unquotedMessage(error)
  if (unquoted === undefined) return `${title}: ${sentence} ${advice ?? next}`
  // A message that was shortened in the sentence follows in full.
  const own = sentence.replace(quoted({ message: unquoted }), '')
  return `${title}: ${own} ${advice ?? next} The service says: ${clean(unquoted)}`
}

/**
 * Returns the exit code of an error: a request that was refused before it was sent is wrong usage; any other error
 * gives no verdict.
 */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof ApiError && error.kind === 'refused' && USAGE.has(error.code ?? '')
    ? EXIT.usage
    : EXIT.noVerdict
}

const USAGE: ReadonlySet<string> = new Set(['read-only', 'invalid-input', 'invalid-key', 'invalid-address'])

/** Prints an error on standard error; returns the exit code. @throws UsageError unchanged */
export function reportError(error: unknown): number {
  if (error instanceof UsageError) throw error
  return sayError(error, errorLine(error))
}

/** Says that a list is incomplete, and why. */
export function reportCut(error: unknown): void {
  sayError(error, `The list is not complete. ${errorLine(error)}`, EXIT.noVerdict)
}

/** Prints an error with this message, with --json as one object in a line; returns the exit code. */
export function sayError(error: unknown, message: string, exitCode = exitCodeOfError(error)): number {
  if (errorsAreJson()) process.stderr.write(`${jsonText({ ...errorFacts(error, exitCode), message })}\n`)
  else say(message)
  return exitCode
}

/** Returns the fields of an error that scripts branch on; nothing of the request, which may contain secrets. */
function errorFacts(error: unknown, exitCode: number): object {
  const kind = exitCode === EXIT.usage ? 'usage' : 'no-verdict'
  if (error instanceof UsageError) return { code: 'usage', kind, exitCode }
  if (!(error instanceof ApiError)) {
    const { code } = Object(error) as { code?: unknown }
    return { code: typeof code === 'string' ? code : 'internal', kind, exitCode }
  }
  const { code = error.kind, status, requestId } = error
  return { code, kind, exitCode, ...defined({ status, requestId }) }
}
