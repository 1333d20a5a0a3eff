import { Argument, Option, type Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import type { Stay } from '../workspace/workspace.ts'

/** A flag with its description and, unless it is text or a switch, a parser for its value. */
export type DeclaredFlag =
  | Option
  | readonly [flags: string, says: string, read?: (text: string, before: never) => unknown, initial?: unknown]

/** The parsed words of a command, in order, its own options and those of the program. */
export type Typed<Own = object> = { words: readonly string[]; own: Own; common: CommonOptions; program: Command }

type Outcome = number | undefined | Promise<number | undefined>

/** A command as data; help and completion derive from it. */
export type CommandDeclaration = {
  /** Its name, after that of its parent command, whose options it accepts too: `journal send`. */
  name: string
  says: string
  words?: readonly (Argument | readonly [placeholder: string, says: string])[]
  flags?: readonly DeclaredFlag[]
  /** Text below the help. */
  after?: () => string
  hidden?: boolean
  /** Whether it needs a program that has every command. Other commands run in a program that has only them. */
  whole?: boolean
  /** Runs the command; resolves to the exit code. Modules are loaded when it runs. Absent for a group of commands. */
  run?: (typed: Typed) => Outcome
}

/** Declares a command with the type of its own options. */
export function command<Own extends object>(
  declared: Described & { run: (typed: Typed<Own>) => Outcome },
): CommandDeclaration {
  return { ...declared, run: typed => declared.run(typed as Typed<Own>) }
}

/** The work of a command in its context; resolves to the exit code, or to nothing for 0. */
export type Work<Own, Context> = (context: Context, words: readonly string[], own: Own) => Promise<number | void>

/** A command without its implementation. */
export type Described = Omit<CommandDeclaration, 'run'>

/** Declares a command that runs with an opened workspace. */
export function verb<Own extends object>(
  declared: Described,
  load: () => Promise<Work<Own, SavedContext>>,
  stays?: Stay,
): CommandDeclaration {
  return command<Own>({
    ...declared,
    async run({ words, own, common }) {
      const [{ inWorkspace }, work] = await Promise.all([import('../workspace/in-workspace.ts'), load()])
      const placed = (context: SavedContext) => {
        context.client.budget.placeIs(`mcpdeck ${declared.name}`)
        return work(context, words, own)
      }
      return await inWorkspace(common, placed, stays)
    },
  })
}

/** Adds declared commands to the program, each after its parent. */
export function addCommands(
  program: Command,
  declarations: readonly CommandDeclaration[],
  done: (code: number | undefined) => void,
): void {
  for (const { name, says, words = [], flags = [], after, hidden = false, run } of declarations) {
    const path = name.split(' ')
    const own = path.pop() ?? name
    const parent = path.reduce((at, each) => at.commands.find(inner => inner.name() === each) ?? at, program)
    // Inherited settings would otherwise ignore an extra word.
    const made = parent.command(own, { hidden }).description(says).allowExcessArguments(false)
    for (const word of words)
      if (word instanceof Argument) made.addArgument(word)
      else made.argument(...word)
    for (const flag of flags) made.addOption(flag instanceof Option ? flag : optionOf(flag))
    if (after) made.addHelpText('after', after)
    if (!run) continue
    made.action(async (...given: unknown[]) => {
      const typed = given.slice(0, -2).flat() as (string | undefined)[]
      const words = typed.filter(word => word !== undefined)
      done(await run({ words, own: optionsOf(made, program), common: program.opts<CommonOptions>(), program }))
    })
  }
}

function optionsOf(made: Command, program: Command): object {
  const line: Command[] = []
  for (let at: Command | null = made; at && at !== program; at = at.parent) line.unshift(at)
  const chosen = (isDefault: boolean) =>
    line.map(each => {
      const entries = Object.entries(each.opts())
      return Object.fromEntries(
        entries.filter(([name]) => (each.getOptionValueSource(name) === 'default') === isDefault),
      )
    })
  // An option of both commands is parsed by the parent, and the child's default must not replace its value.
  return Object.assign({}, ...chosen(true), ...chosen(false)) as object
}

function optionOf([flags, says, read, initial]: Exclude<DeclaredFlag, Option>): Option {
  const option = new Option(flags, says)
  if (read) option.argParser(read as (text: string) => unknown)
  return initial === undefined ? option : option.default(initial)
}
