import type { Argument, Command, Option } from 'commander'
import { allEndpoints } from '../../api/contract/contract.ts'
import { screens } from '../../app/registry.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'
import { DOCUMENT_NOUNS } from '../../domain/documents/nouns.ts'
import { NOUNS } from '../get/nouns.ts'

/** What can stand for a value: given words, or what the shell or the program finds when it is asked. */
export type Values =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' | 'directories' | 'profiles' | 'anything' }

export type DeclaredOption = {
  /** `--profile`, or `-h` and `--help`. */
  names: readonly string[]
  description: string
  /** Absent = the option is a switch. */
  value?: Values
}

/** A command as it was declared, for the printers of all shells. */
export type DeclaredCommand = {
  /** Names from the program's own on, without it: `serve key`; empty for the program itself. */
  path: string
  commands: readonly { name: string; description: string }[]
  options: readonly DeclaredOption[]
  /** What its arguments can be; the last stands for all that follow it. */
  argument: Values | undefined
}

/** Placeholders of arguments and options whose values can be found. */
const BY_PLACEHOLDER: Record<string, () => Values> = {
  file: () => ({ kind: 'files' }),
  dir: () => ({ kind: 'directories' }),
  profile: () => ({ kind: 'profiles' }),
  what: () => ({ kind: 'words', words: NOUNS.map(({ name }) => name) }),
  noun: () => ({ kind: 'words', words: DOCUMENT_NOUNS.map(noun => `${noun}s`) }),
  operation: () => ({ kind: 'words', words: allEndpoints().map(({ operation }) => operation) }),
}

/**
 * Every command below a program, the program first, which opens a screen by its name. The options of the program count
 * everywhere.
 */
export function declaredCommands(program: Command, opened: readonly ScreenDeclaration[] = screens): DeclaredCommand[] {
  const argument: Values = { kind: 'words', words: opened.map(({ route }) => route.screen) }
  return declared(program, '').map(command => (command.path === '' ? { ...command, argument } : command))
}

function declared(command: Command, path: string): DeclaredCommand[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const own: DeclaredCommand = {
    path,
    commands: commands.map(each => ({ name: each.name(), description: each.description() })),
    options: help
      .visibleOptions(command)
      .map(option => ({
        names: [option.short, option.long].filter(name => name !== undefined && name !== null),
        description: option.description,
        ...((option.required || option.optional) && { value: optionValues(option) }),
      })),
    argument: argumentValues(command.registeredArguments[0]),
  }
  // The help command that commander adds by itself declares nothing.
  const listed = command.commands.filter(each => commands.includes(each))
  return [own, ...listed.flatMap(each => declared(each, `${path} ${each.name()}`.trim()))]
}

function optionValues({ argChoices, flags }: Option): Values {
  if (argChoices) return { kind: 'words', words: argChoices }
  return found(/[<[]([\w-]+)/.exec(flags)?.[1])
}

function argumentValues(argument: Argument | undefined): Values | undefined {
  if (!argument) return undefined
  if (argument.argChoices) return { kind: 'words', words: argument.argChoices }
  return found(argument.name())
}

function found(placeholder: string | undefined): Values {
  return BY_PLACEHOLDER[placeholder ?? '']?.() ?? { kind: 'anything' }
}

/** A text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Cases of a shell for the values of every option; those of the program count after any command.
 * @param act what a case does with what it offers
 */
export function valueCases([program, ...others]: readonly DeclaredCommand[], act: (value: Values) => string): string {
  const cases = (options: readonly DeclaredOption[], patternOf: (option: string) => string) =>
    options.flatMap(({ names, value }) => (value ? [caseLine(names.map(patternOf).join('|'), act(value))] : []))
  return [
    ...others.flatMap(({ path, options }) => cases(options, option => quoted(`${path}|${option}`))),
    ...cases(program?.options ?? [], option => `*${quoted(`|${option}`)}`),
  ].join('\n')
}

/** Cases of a shell for what stands behind each command, where there is something. */
export function commandCases(
  commands: readonly DeclaredCommand[],
  act: (command: DeclaredCommand) => string | false | undefined,
): string {
  return commands
    .flatMap(command => {
      const done = act(command)
      return done ? [caseLine(quoted(command.path), done)] : []
    })
    .join('\n')
}

function caseLine(pattern: string, act: string): string {
  return `    ${pattern}) ${act} ;;`
}
