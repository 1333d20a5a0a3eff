import { clean } from '../../tui/theme/text.ts'
import { errorsAreJson } from './error-format.ts'
import { noteInLog } from './log.ts'
import { errorLine, sayError } from './report-error.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Says what ended a command that nothing in it was ready for; answers the exit code, which is never that of a failed
 * verdict. Where it happened is in the log, if one was asked for.
 */
export function reportFailure(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    const message = thrown.message.split('\n').map(clean).join('\n')
    return sayError(thrown, errorsAreJson() ? message : `mcpdeck: ${message}`)
  }
  noteInLog(thrown)
  return sayError(thrown, errorLine(thrown))
}
