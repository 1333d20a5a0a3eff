import { Command, Option } from 'commander'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { nearest } from '../../lib/nearest.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { withShiftReport } from '../now/report-place.ts'
import { withReports, type ReportOptions } from './reports.ts'

/**
 * Writes the reason into the reports that a refused command line asked for, so that no earlier report is mistaken for
 * its result.
 * @throws UsageError the given one, with the reason if a report could not be written
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
    // If the value is missing, the parser takes the next option for it.
    return typeof value === 'string' && value !== '' && !value.startsWith('--') ? { [name]: value } : {}
  }
  try {
    await withReports(
      Object.assign({}, ...['junit', 'summary', 'comment', 'html', 'baseline', 'expected'].map(text)) as ReportOptions,
      words[0] ?? `mcpdeck ${command}`,
      async () => withShiftReport({ ...text('report'), force: options['force'] === true }, refuse),
    )
  } catch (error) {
    if (error !== refusal) {
      const why =
        error instanceof UsageError ? error.message : `The report cannot be written: ${systemErrorReason(error)}.`
      throw new UsageError(`${refusal.message}\n${why}`)
    }
  }
  throw refusal
}

/** The parts of a refused command line; values are unchecked texts. */
type RefusedLine = { command: string; words: readonly string[]; options: Readonly<Record<string, unknown>> }

/** Parses as much as possible of a command line that commander refused; returns undefined if it contains no command. */
function readRefused(program: Command, argv: readonly string[]): RefusedLine | undefined {
  const named = (word: string | undefined) => program.commands.find(each => each.name() === word)
  // Words after `--` belong to another program.
  const end = argv.indexOf('--')
  const { operands, unknown } = readLeniently(program, end < 0 ? argv : argv.slice(0, end))
  const rest = [...operands, ...unknown]
  // After an unknown option of the program, its command is not parsed as an operand.
  const known = named(operands[0]) ?? rest.map(named).find(each => each !== undefined)
  const names = program.commands.map(each => each.name())
  const found = known ?? (operands[0] === undefined ? undefined : named(nearest(operands[0], names)))
  if (!found) return undefined
  const own = readLeniently(found, rest.slice(rest.indexOf(known ? found.name() : operands[0]!) + 1))
  return { command: found.name(), words: own.operands, options: own.options }
}

/** Parses the options of a command without validating their values. */
function readLeniently(command: Command, argv: readonly string[]) {
  const bare = new Command().exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined })
  for (const { flags } of command.options) bare.addOption(new Option(flags))
  const read = (words: readonly string[]) => ({ ...bare.parseOptions([...words]), options: bare.opts() })
  try {
    return read(argv)
  } catch {
    // Only the last option can lack its value.
    return read(argv.slice(0, -1))
  }
}
