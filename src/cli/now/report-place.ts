import { readFileSync } from 'node:fs'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { outputTarget } from '../../lib/files/output-target.ts'
import { writeUnlessThere } from '../../lib/files/write-unless-there.ts'
import { redacted } from '../../lib/redaction/redaction.ts'
import { utcTime } from '../../lib/times.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { processTexts } from '../output/redaction.ts'
import { errorLine } from '../output/report-error.ts'

/**
 * Runs a command that may replace a shift report. An earlier report must not be mistaken for a new one: first, a
 * placeholder replaces it, which at the end says why there is no report.
 * @throws UsageError for a report that cannot be written
 */
export async function withShiftReport<Code extends number | undefined>(
  { report, force = false }: { report?: string | true; force?: boolean },
  work: () => Promise<Code>,
): Promise<Code> {
  if (typeof report !== 'string' || !force || isStream(report)) return await work()
  const begun = missing('mcpdeck has not written it yet, or was killed.')
  const refusal = writeUnlessThere(report, begun, true)
  if (typeof refusal === 'object') throw unwritable(report, refusal.reason)
  const explain = (why: string) => {
    // Otherwise the file contains the report, or something of another process. If it can no longer be written, that
    // hides neither the error nor the exit code of the command.
    if (standing(report) === begun) writeUnlessThere(report, missing(why), true)
  }
  try {
    const code = await work()
    explain(`mcpdeck ended with exit code ${code ?? 0} before it could be written.`)
    return code
  } catch (error) {
    explain(error instanceof ApiError || !(error instanceof Error) ? errorLine(error) : error.message)
    throw error
  }
}

/** Returns undefined for a file that cannot be read, for example because it was moved or replaced by a folder. */
function standing(report: string): string | undefined {
  try {
    return readFileSync(report, 'utf8')
  } catch {
    return undefined
  }
}

function isStream(report: string): boolean {
  try {
    return 'stream' in outputTarget(report)
  } catch (error) {
    throw unwritable(report, systemErrorReason(error))
  }
}

function unwritable(report: string, why: string): UsageError {
  return new UsageError(`The report ${report} cannot be written: ${why}.`)
}

/** Returns plain text in a code block, which it cannot break out of. */
function missing(why: string): string {
  const words = clean(redacted(why, processTexts()))
  return `# No shift report\n\nFrom ${utcTime(Date.now())}:\n\n    ${words}\n`
}
