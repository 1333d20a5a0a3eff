import { Argument, Option, type Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import type { Stay } from '../workspace/workspace.ts'

/** Flags, what they say, and, where it is no plain text or switch, how the text of each becomes a value. */
export type DeclaredFlag =
  | Option
  | readonly [flags: string, says: string, read?: (text: string, before: never) => unknown, initial?: unknown]

/** What was typed behind a command: its words in order, its own options and those of the program. */
export type Typed<Own = object> = { words: readonly string[]; own: Own; common: CommonOptions; program: Command }

type Outcome = number | undefined | Promise<number | undefined>

/** A command as data; help and completion derive from it. */
export type CommandDeclaration = {
  /** Its name, behind that of the command that it belongs to and whose options it takes too: `journal send`. */
  name: string
  says: string
  words?: readonly (Argument | readonly [placeholder: string, says: string])[]
  flags?: readonly DeclaredFlag[]
  /** Stands below the help. */
  after?: () => string
  hidden?: boolean
  /** Works on the program with every command; others run in one that has nothing but them. */
  whole?: boolean
  /** Resolves to the exit code; what it needs is loaded when it runs. Absent of what only holds others. */
  run?: (typed: Typed) => Outcome
}

/** A declaration that knows the type of its own options. */
export function command<Own extends object>(
  declared: Described & { run: (typed: Typed<Own>) => Outcome },
): CommandDeclaration {
  return { ...declared, run: typed => declared.run(typed as Typed<Own>) }
}

/** What a command does with what it works with; resolves to the exit code, which is 0 if it returns none. */
export type Work<Own, Context> = (context: Context, words: readonly string[], own: Own) => Promise<number | void>

/** A command without what it does. */
export type Described = Omit<CommandDeclaration, 'run'>

/** A command whose work gets an opened workspace. */
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

/** Adds declared commands to the program, each after the one that it belongs to. */
export function addCommands(
  program: Command,
  declarations: readonly CommandDeclaration[],
  done: (code: number | undefined) => void,
): void {
  for (const { name, says, words = [], flags = [], after, hidden = false, run } of declarations) {
    const path = name.split(' ')
    const own = path.pop() ?? name
    const parent = path.reduce((at, each) => at.commands.find(inner => inner.name() === each) ?? at, program)
    // What the program itself allows is inherited otherwise, and a word too many would be done without.
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
  // An option of both is read by the outer one, and a default of the inner one must not take its place.
  return Object.assign({}, ...chosen(true), ...chosen(false)) as object
}

function optionOf([flags, says, read, initial]: Exclude<DeclaredFlag, Option>): Option {
  const option = new Option(flags, says)
  if (read) option.argParser(read as (text: string) => unknown)
  return initial === undefined ? option : option.default(initial)
}
