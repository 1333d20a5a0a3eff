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
 * An error in one line for people: what happened, what to do, and the service's own words where it gave some.
 * @param advice what to do, where the caller knows better than the error does
 */
export function errorLine(error: unknown, advice?: string): string {
  const { title, sentence, next } = describeError(error)
  const unquoted = unquotedMessage(error)
  if (unquoted === undefined) return `${title}: ${sentence} ${advice ?? next}`
  // What was cut for the sentence is behind it whole.
  const own = sentence.replace(quoted({ message: unquoted }), '')
  return `${title}: ${own} ${advice ?? next} The service says: ${clean(unquoted)}`
}

/** A refusal before sending is wrong usage; everything else that went wrong has no verdict. */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof ApiError && error.kind === 'refused' && USAGE.has(error.code ?? '')
    ? EXIT.usage
    : EXIT.noVerdict
}

const USAGE: ReadonlySet<string> = new Set(['read-only', 'invalid-input', 'invalid-key', 'invalid-address'])

/** Says on standard error what went wrong; resolves to the exit code. @throws UsageError as it is */
export function reportError(error: unknown): number {
  if (error instanceof UsageError) throw error
  return sayError(error, errorLine(error))
}

/** Says that a list is not complete, and why. */
export function reportCut(error: unknown): void {
  sayError(error, `The list is not complete. ${errorLine(error)}`, EXIT.noVerdict)
}

/** Says an error in these words, with --json as one object in a line; answers the exit code. */
export function sayError(error: unknown, message: string, exitCode = exitCodeOfError(error)): number {
  if (errorsAreJson()) process.stderr.write(`${jsonText({ ...errorFacts(error, exitCode), message })}\n`)
  else say(message)
  return exitCode
}

/** Of an error what scripts branch on; nothing of the request, which may hold secrets. */
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
