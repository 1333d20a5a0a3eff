import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { openStream, outputTarget } from '../../lib/files/output-target.ts'
import { writeAtomically } from '../../lib/files/write-atomically.ts'
import { UsageError } from '../arguments/usage-error.ts'

/**
 * Finds out before anything spends whether a report can be written, and removes an earlier one.
 * @returns what writes it, whole or not at all
 * @throws UsageError when it cannot
 */
export function openReport(file: string): (text: string) => void {
  try {
    const target = outputTarget(file)
    if ('stream' in target) {
      const { write, close } = openStream(target.stream)
      return text => {
        write(text)
        close()
      }
    }
    if (statSync(target.file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a directory')
    const draft = `${target.file}.${process.pid}.tmp`
    closeSync(openSync(draft, 'w'))
    rmSync(draft)
    rmSync(target.file, { force: true })
  } catch (error) {
    throw new UsageError(`The report ${file} cannot be written: ${systemErrorReason(error)}.`)
  }
  return text => writeAtomically(file, text)
}
