import type { Argument, Command, Option } from 'commander'
import { allEndpoints } from '../../api/contract/contract.ts'
import { screens } from '../../app/registry.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'
import { DOCUMENT_NOUNS } from '../../domain/documents/nouns.ts'
import { NOUNS } from '../nouns/nouns.ts'
import type { NameKind } from './name-kinds.ts'

/** Possible values: fixed words, or what the shell or the program finds on request. */
export type Values =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' | 'directories' | 'anything' }
  | { kind: 'names'; of: NameKind }

export type DeclaredOption = {
  /** Names of the option: `--profile`, or `-h` and `--help`. */
  names: readonly string[]
  description: string
  /** Absent for a switch. */
  value?: Values
}

/** A command as declared, for the scripts of all shells. */
export type DeclaredCommand = {
  /** The names after the program's own, as in `serve key`; empty for the program itself. */
  path: string
  commands: readonly { name: string; description: string }[]
  options: readonly DeclaredOption[]
  /** Possible values of its arguments, by position. */
  arguments: readonly DeclaredArgument[]
}

/** A repeated argument also covers all that follow it. */
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
  runs: names('runs'),
  base: names('runs'),
  tool: names('tools'),
  what: () => ({ kind: 'words', words: NOUNS.map(({ name }) => name) }),
  noun: () => ({ kind: 'words', words: DOCUMENT_NOUNS.map(noun => `${noun}s`) }),
  operation: () => ({ kind: 'words', words: allEndpoints().map(({ operation }) => operation) }),
}

/** Commands whose servers are not saved ones. */
const OF_OTHERS: readonly string[] = ['try', 'server import']

/** Placeholders for a noun. The argument after such a noun is one of its records. */
const NOUN_PLACEHOLDERS: readonly string[] = ['what', 'noun']

/**
 * Returns every command of a program, the program itself first, which opens a screen by name. The program's options
 * apply everywhere.
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
  // Commander's own help command declares nothing.
  const listed = command.commands.filter(each => commands.includes(each))
  return [own, ...listed.flatMap(each => declared(each, `${path} ${each.name()}`.trim()))]
}

function optionValues({ argChoices, flags, long }: Option): Values {
  if (argChoices) return { kind: 'words', words: argChoices }
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1]
  // The name of the option says to which kind of record the id belongs: `--suite <id>`.
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

/** Quotes a text as one word of bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns shell cases for the values of every option; the program's options apply after any command.
 * @param act what a case does with its offers
 */
export function valueCases([program, ...others]: readonly DeclaredCommand[], act: (value: Values) => string): string {
  const cases = (options: readonly DeclaredOption[], patternOf: (option: string) => string) =>
    options.flatMap(({ names, value }) => (value ? [caseLine(names.map(patternOf).join('|'), act(value))] : []))
  return [
    ...others.flatMap(({ path, options }) => cases(options, option => quoted(`${path}|${option}`))),
    ...cases(program?.options ?? [], option => `*${quoted(`|${option}`)}`),
  ].join('\n')
}

/** Returns shell cases for the values of each command's arguments, by path and position from 1. */
export function argumentCases(commands: readonly DeclaredCommand[], act: (value: Values) => string): string {
  return commands
    .flatMap(({ path, arguments: places }) =>
      places.map(({ values, repeats }, at) =>
        caseLine(repeats ? `${quoted(`${path}|`)}*` : quoted(`${path}|${at + 1}`), act(values)),
      ),
    )
    .join('\n')
}

/** Returns shell cases for what follows each command, if anything. */
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
