import type { Command } from 'commander'
import { readRefused } from '../arguments/refused-line.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { withShiftReport } from '../now/report-place.ts'
import { withReports } from './reports.ts'

/**
 * Has the reports that a refused command line asked for say why, so that none of an earlier command stands for it.
 * @throws UsageError as it is, with what kept a report from being written
 */
export async function refuseWithReports(
  program: Command,
  argv: readonly string[],
  refusal: UsageError,
): Promise<never> {
  const refuse = () => Promise.reject(refusal)
  const { command, words, options } = readRefused(program, argv) ?? { command: '', words: [], options: {} }
  const text = (name: string) => {
    const value = options[name]
    return typeof value === 'string' && value !== '' ? { [name]: value } : {}
  }
  try {
    await withReports({ ...text('junit'), ...text('summary') }, words[0] ?? `mcpdeck ${command}`, async () =>
      withShiftReport({ ...text('report'), force: options['force'] === true }, refuse),
    )
  } catch (error) {
    if (error !== refusal && error instanceof UsageError) throw new UsageError(`${refusal.message}\n${error.message}`)
  }
  throw refusal
}
