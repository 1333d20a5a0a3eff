import { clean } from '../../tui/theme/text.ts'
import { errorsAreJson } from './error-format.ts'
import { noteInLog } from './log.ts'
import { errorLine, sayError } from './report-error.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Prints an error that the command did not handle; returns the exit code, which is never that of a failed verdict. The
 * stack goes to the log, if there is one.
 */
export function reportFailure(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    const message = thrown.message.split('\n').map(clean).join('\n')
    return sayError(thrown, errorsAreJson() ? message : `mcpdeck: ${message}`)
  }
  noteInLog(thrown)
  return sayError(thrown, errorLine(thrown))
}
