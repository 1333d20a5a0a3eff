import { isFault } from '../api/error-text.ts'
import { EXIT } from './exit-codes.ts'
import { say } from './prose.ts'
import { createRedaction } from './redaction.ts'
import { errorLine, exitCodeOfError } from './report-error.ts'
import { UsageError } from './usage-error.ts'

/**
 * Says what ended a command that nothing in it was ready for; answers the exit code, which is never that of a failed
 * verdict. A fault of the program shows where it happened, without secrets.
 */
export function reportFailure(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    say(`mcpdeck: ${thrown.message}`)
    return EXIT.usage
  }
  say(errorLine(thrown))
  if (isFault(thrown) && thrown instanceof Error && thrown.stack !== undefined)
    process.stderr.write(`${createRedaction(process.env)(thrown.stack)}\n`)
  return exitCodeOfError(thrown)
}
