import { clean } from '../../tui/theme/text.ts'
import { EXIT } from '../process/exit-codes.ts'
import { noteInLog } from './log.ts'
import { say } from './prose.ts'
import { errorLine, exitCodeOfError } from './report-error.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Says what ended a command that nothing in it was ready for; answers the exit code, which is never that of a failed
 * verdict. Where it happened stands in the log, if one was asked for.
 */
export function reportFailure(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    say(`mcpdeck: ${thrown.message.split('\n').map(clean).join('\n')}`)
    return EXIT.usage
  }
  noteInLog(thrown)
  say(errorLine(thrown))
  return exitCodeOfError(thrown)
}
