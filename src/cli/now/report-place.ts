import { rmSync } from 'node:fs'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { outputTarget } from '../../lib/files/output-target.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Runs a command that may replace a shift report, which is gone before anything else happens: where the command ends
 * without one, that of an earlier shift does not stand for it.
 * @throws UsageError for one that cannot be removed
 */
export async function withShiftReport<Code>(
  { report, force = false }: { report?: string | true; force?: boolean },
  work: () => Promise<Code>,
): Promise<Code> {
  if (typeof report === 'string' && force) {
    try {
      const target = outputTarget(report)
      if ('file' in target) rmSync(target.file, { force: true })
    } catch (error) {
      throw new UsageError(`The report ${report} cannot be written: ${systemErrorReason(error)}.`)
    }
  }
  return await work()
}
