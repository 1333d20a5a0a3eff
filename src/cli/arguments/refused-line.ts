import { Command, Option } from 'commander'

/** The parts of a command line that was refused; values are texts, checked by nothing. */
export type RefusedLine = { command: string; words: readonly string[]; options: Readonly<Record<string, unknown>> }

/** Stands for a command that is misspelt, since nothing else has as many options. */
const MOST_LIKELY = 'run'

/** Reads a command line as far as it can be, though commander refused it; undefined where no command is meant. */
export function readRefused(program: Command, argv: readonly string[]): RefusedLine | undefined {
  const named = (word: string | undefined) => program.commands.find(each => each.name() === word)
  const { operands, unknown } = readLeniently(program, argv)
  const rest = [...operands, ...unknown]
  // Behind an unknown option of the program its command is no operand.
  const found = named(operands[0]) ?? rest.map(named).find(each => each !== undefined) ?? named(MOST_LIKELY)
  if (!found) return undefined
  const own = readLeniently(found, rest.slice(rest.indexOf(found.name()) + 1))
  return { command: found.name(), words: own.operands, options: own.options }
}

/** Reads the options of a command where each may have any text. */
function readLeniently(command: Command, argv: readonly string[]) {
  const bare = new Command().exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined })
  for (const { flags } of command.options) bare.addOption(new Option(flags))
  const read = (words: readonly string[]) => ({ ...bare.parseOptions([...words]), options: bare.opts() })
  try {
    return read(argv)
  } catch {
    // Only the value of the last option can be missing.
    return read(argv.slice(0, -1))
  }
}
