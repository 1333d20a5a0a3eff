import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { whyNot } from '../../api/client/errors/system-error-text.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** A file that appears whole or not at all. */
export type ReportFile = {
  write: (text: string) => void
  /** Leaves nothing behind where nothing was written. */
  discard: () => void
}

/**
 * Prepares a file next to its place, so that one that cannot be written is known before anything spends.
 * @throws UsageError when it cannot
 */
export function openReport(file: string): ReportFile {
  const draft = `${file}.${process.pid}.tmp`
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a directory')
    closeSync(openSync(draft, 'w'))
  } catch (error) {
    throw new UsageError(`The report ${file} cannot be written: ${whyNot(error)}.`)
  }
  return {
    write(text) {
      writeFileSync(draft, text)
      renameSync(draft, file)
    },
    discard: () => rmSync(draft, { force: true }),
  }
}
