import type { Command } from 'commander'
import { EXIT, EXIT_MEANINGS } from '../process/exit-codes.ts'

/** Environment variables of the program, with what each one sets. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MCPDECK_BASE_URL: 'Address of the service, with /api/v1.',
  MCPDECK_API_KEY: 'Key of the service at that address, or of a profile that names no other source.',
  MCPDECK_PROFILE: 'Profile of the config file, or local.',
  MCPDECK_CONFIG: 'The config file.',
  MCPDECK_DATA_DIR: 'Directory of the local workspace.',
  MCPDECK_PORT: 'Port of "mcpdeck serve", also used in links to scenarios of the local workspace. Default: 4747.',
  MCPDECK_MODEL_BASE_URL: "Address of the local workspace's models, compatible with OpenAI's.",
  MCPDECK_MODEL_KIND: 'openai-compatible, or anthropic, which needs no address.',
  MCPDECK_MODEL_API_KEY: 'Key of that endpoint.',
  MCPDECK_MODEL: 'The default model.',
  MCPDECK_THEME: 'Colours; "mcpdeck theme list" names them.',
  MCPDECK_SCREEN_READER: '1: plain lines as things change. INK_SCREEN_READER does the same.',
  MCPDECK_NOTIFY: 'How the end of a long run is announced; overrides "notify" in the config file.',
  NO_COLOR: 'No colours, whatever its value.',
  VISUAL: 'The editor of records and files, before EDITOR.',
  EDITOR: 'The editor if VISUAL is not set.',
  'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME': 'Base directories of those under FILES.',
}

/** Files and directories of the program; on macOS the directories are those of ~/Library. */
const FILES: readonly (readonly [path: string, says: string])[] = [
  ['~/.config/mcpdeck/config.yaml', 'Settings and profiles; "mcpdeck config init" writes it with comments.'],
  ['~/.local/share/mcpdeck', 'The local workspace and stored keys.'],
  ['~/.local/state/mcpdeck', 'The notebook, the journal of writes, and the last screen.'],
  ['~/.cache/mcpdeck', 'Compiled code and files of single executables. You can delete it at any time.'],
]

/** Returns the manual page of a program in roff, built from its declared commands. */
export function manPage(program: Command): string {
  const help = program.createHelp()
  const own = help.visibleOptions(program).map(({ flags, description }) => [flags, description] as const)
  return [
    `.TH ${program.name().toUpperCase()} 1 "" "${program.name()} ${program.version()}" "User Commands"`,
    ...section('NAME', line(`${program.name()} - ${help.commandDescription(program)}`)),
    ...section('SYNOPSIS', bold(help.commandUsage(program))),
    ...section(
      'DESCRIPTION',
      line('Without a command mcpdeck opens the dashboard, by default on the local workspace.'),
      ...items(help.visibleArguments(program).map(each => [each.name(), each.description])),
    ),
    ...section('OPTIONS', line('These apply to every command.'), ...items(own)),
    ...section('COMMANDS', ...commandsOf(program)),
    ...section('EXIT STATUS', ...items(exitCodes())),
    ...section('ENVIRONMENT', ...items(Object.entries(ENVIRONMENT))),
    ...section('FILES', ...items(FILES)),
    '',
  ].join('\n')
}

function exitCodes(): [code: string, says: string][] {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  return names.map(name => [String(EXIT[name]), EXIT_MEANINGS[name]])
}

/** Returns each command below another with its arguments and options, in the order of the help. */
function commandsOf(parent: Command): string[] {
  const help = parent.createHelp()
  // The help command that commander adds declares nothing.
  const listed = help.visibleCommands(parent).filter(each => parent.commands.includes(each))
  return listed.flatMap(command => [
    `.SS ${quoted(help.commandUsage(command))}`,
    line(help.commandDescription(command)),
    ...items(help.visibleArguments(command).map(each => [each.name(), help.argumentDescription(each)])),
    ...items(
      help
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help')
        .map(option => [option.flags, help.optionDescription(option)]),
    ),
    ...afterHelp(command),
    ...commandsOf(command),
  ])
}

/** Returns the text below the help of a command, unchanged. */
function afterHelp(command: Command): string[] {
  let text = ''
  // The types do not say that a command is an event emitter.
  const emitter = command as unknown as NodeJS.EventEmitter
  emitter.emit('afterHelp', { command, error: false, write: (more: string) => void (text += more) })
  return text.trim() === '' ? [] : ['.PP', '.nf', ...text.trim().split('\n').map(line), '.fi']
}

function section(title: string, ...lines: readonly string[]): string[] {
  return [`.SH ${title}`, ...lines]
}

function items(pairs: readonly (readonly [term: string, says: string])[]): string[] {
  return pairs.flatMap(([term, says]) => ['.TP', bold(term), line(says)])
}

function bold(text: string): string {
  return `.B ${quoted(text)}`
}

/** Quotes one argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', String.raw`\(dq`)}"`
}

/** Returns a line of text: one that begins with a dot or an apostrophe would be a request. */
function line(text: string): string {
  return escaped(text).replace(/^(?=[.'])/, String.raw`\&`)
}

/** Escapes characters that roff would interpret, or print as typographic ones. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('~', String.raw`\(ti`)
    .replaceAll('^', String.raw`\(ha`)
    .replaceAll('’', String.raw`\(cq`)
}
