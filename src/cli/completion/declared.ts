import type { Argument, Command, Option } from 'commander'
import { allEndpoints } from '../../api/contract/contract.ts'
import { screens } from '../../app/registry.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'
import { DOCUMENT_NOUNS } from '../../domain/documents/nouns.ts'
import { NOUNS } from '../nouns/nouns.ts'
import type { NameKind } from './name-kinds.ts'

/** What can stand for a value: given words, or what the shell or the program finds when it is asked. */
export type Values =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' | 'directories' | 'anything' }
  | { kind: 'names'; of: NameKind }

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
  /** What its arguments can be, by their places. */
  arguments: readonly DeclaredArgument[]
}

/** One that repeats stands for all that follow it too. */
export type DeclaredArgument = { values: Values; repeats: boolean }

const names = (of: NameKind) => (): Values => ({ kind: 'names', of })

/** Placeholders of arguments and options whose values can be found. */
const BY_PLACEHOLDER: Record<string, () => Values> = {
  file: () => ({ kind: 'files' }),
  dir: () => ({ kind: 'directories' }),
  profile: names('profiles'),
  project: names('projects'),
  server: names('servers'),
  servers: names('servers'),
  suite: names('suites'),
  run: names('runs'),
  base: names('runs'),
  tool: names('tools'),
  what: () => ({ kind: 'words', words: NOUNS.map(({ name }) => name) }),
  noun: () => ({ kind: 'words', words: DOCUMENT_NOUNS.map(noun => `${noun}s`) }),
  operation: () => ({ kind: 'words', words: allEndpoints().map(({ operation }) => operation) }),
}

/** Commands whose servers are not the saved ones. */
const OF_OTHERS: readonly string[] = ['try', 'server import']

/** What is behind such a noun is one of its records. */
const NOUN_PLACEHOLDERS: readonly string[] = ['what', 'noun']

/**
 * Every command below a program, the program first, which opens a screen by its name. The options of the program count
 * everywhere.
 */
export function declaredCommands(program: Command, opened: readonly ScreenDeclaration[] = screens): DeclaredCommand[] {
  const values: Values = { kind: 'words', words: opened.map(({ route }) => route.screen) }
  const places = [{ values, repeats: false }]
  return declared(program, '').map(command => (command.path === '' ? { ...command, arguments: places } : command))
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
    arguments: command.registeredArguments.map((argument, at, all) => ({
      values: argumentValues(argument, { path, before: all[at - 1] }),
      repeats: argument.variadic,
    })),
  }
  // The help command that commander adds by itself declares nothing.
  const listed = command.commands.filter(each => commands.includes(each))
  return [own, ...listed.flatMap(each => declared(each, `${path} ${each.name()}`.trim()))]
}

function optionValues({ argChoices, flags, long }: Option): Values {
  if (argChoices) return { kind: 'words', words: argChoices }
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1]
  // What an id is of is in the option's name: `--suite <id>`.
  return found(placeholder === 'id' ? long?.slice(2) : placeholder)
}

function argumentValues(argument: Argument, { path, before }: { path: string; before: Argument | undefined }): Values {
  if (argument.argChoices) return { kind: 'words', words: argument.argChoices }
  if (NOUN_PLACEHOLDERS.includes(before?.name() ?? '')) return { kind: 'names', of: 'records' }
  if (argument.name() === 'server' && OF_OTHERS.includes(path)) return { kind: 'anything' }
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

/** Cases of a shell for the values of the arguments of each command, by path and place from 1. */
export function argumentCases(commands: readonly DeclaredCommand[], act: (value: Values) => string): string {
  return commands
    .flatMap(({ path, arguments: places }) =>
      places.map(({ values, repeats }, at) =>
        caseLine(repeats ? `${quoted(`${path}|`)}*` : quoted(`${path}|${at + 1}`), act(values)),
      ),
    )
    .join('\n')
}

/** Cases of a shell for what is behind each command, if there is something. */
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
