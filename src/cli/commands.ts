import { buildCommandLine, type CommandLine, type CommandLineOptions } from './commands/command-line.ts'
import { type CommandDeclaration, type DeclaredFlag, command, verb } from './commands/declare.ts'
import { documents } from './commands/documents.ts'
import { get, inspection, notebook, now } from './commands/inspection.ts'
import { profiles } from './commands/profile.ts'
import { tryServer } from './commands/reach.ts'
import { runs } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { serverVerbs } from './commands/server-commands.ts'
import { suites } from './commands/suite.ts'
import { verbs } from './commands/verbs.ts'
import type { ApiOptions } from './api/api-command.ts'
import { collect } from './arguments/option-values.ts'
import { REPEATS } from './commands/repeat-flags.ts'
import { Option } from 'commander'
import { EXPORT_FORMATS } from '../domain/servers/files/export-formats.ts'
import { EDITED_PROGRAMS } from '../domain/servers/files/edited-programs.ts'
import type { InstallOptions } from './mcp/install.ts'

/** The commands as grouped in the help, by task. */
const HELP_GROUPS: Readonly<Record<string, string>> = {
  Look: 'now get describe search notebook',
  'Suites and runs': 'run watch report compare cancel suite launch dismiss',
  Servers:
    'try doctor conformance tools call prompt read skills validate snapshot sign-in sign-out import-tokens server',
  'A project as files': 'export apply create edit delete',
  'Scenarios and their visitors': 'publish unpublish rotate invite remove-member visit',
  'Agent and chat': 'ask chat mcp',
  'Service and program': 'serve api budget journal profile config theme completion man help',
}

/**
 * Returns the command line with every command.
 * @param word the first word, if known; if it is the name of a command, only what that command needs is built
 */
export function buildProgram(options: CommandLineOptions, word?: string): CommandLine {
  const opening = [
    ...notebook(chosen => options.dashboard('notebook', chosen, [])),
    now(chosen => options.dashboard('now', chosen, [])),
  ]
  const declared = [
    tryServer,
    api,
    ...opening,
    get,
    ...runs,
    ...suites,
    ...server,
    ...documents,
    ...inspection,
    ...serve,
    ...mcp,
    ...profiles,
    ...themes,
    ...serverVerbs,
    ...verbs,
  ]
  const named = declared.filter(({ name }) => name.split(' ')[0] === word)
  const isEnough = named.length > 0 && !named.some(({ whole }) => whole)
  if (isEnough) return buildCommandLine(options, named)
  const line = buildCommandLine(options, inHelpOrder(declared))
  const listed = line.program.createHelp().visibleCommands(line.program)
  for (const [heading, names] of Object.entries(HELP_GROUPS))
    for (const command of listed) if (names.split(' ').includes(command.name())) command.helpGroup(`${heading}:`)
  return line
}

/** Sorts commands for the help: commander lists groups and their commands in the order in which they were added. */
function inHelpOrder(declared: readonly CommandDeclaration[]): CommandDeclaration[] {
  const order = Object.values(HELP_GROUPS).flatMap(names => names.split(' '))
  const place = ({ name }: CommandDeclaration) => order.indexOf(name.split(' ', 1)[0] ?? name)
  return declared.toSorted((a, b) => place(a) - place(b))
}

/** Declares `mcpdeck api`. */
const api = command<ApiOptions>({
  name: 'api',
  says: 'Call any operation of the contract, by name or by method and path.',
  words: [['[operation...]', 'an operation such as listProjects, or METHOD PATH']],
  flags: [
    ['--list', 'list every operation with its input, risk and gate'],
    ['--json', 'with --list: print {"items": [...]}'],
    ['--field <name=value>', 'path, query or body field; dots reach into the body', collect, []],
    ['--input <file>', 'the body as JSON; - reads standard input'],
    ['--paginate', 'follow the cursors and print all items as one list'],
    ['--all', 'with --paginate: read the whole list, however long'],
    ['--idempotency-key <key>', 'idempotency key; by default one is generated if the operation takes one'],
    ['--yes', 'do not ask before spending, ending, exposing or deleting'],
    ...REPEATS,
  ],
  run: async ({ words, own, common }) => (await import('./api/api-command.ts')).runApi(words, common, own),
})

type Json = { json?: boolean }

const theme = () => import('./theme/theme-command.ts')

/** `mcpdeck theme`: the values of `--theme`, `MCPDECK_THEME` and the config's `theme`. */
const themes: readonly CommandDeclaration[] = [
  { name: 'theme', says: 'List and preview the colours of the dashboard.' },
  command<Json>({
    name: 'theme list',
    says: 'List the themes, including those of the config file.',
    flags: [['--json', 'print {"items": [{"name", "about", "colours"}]}']],
    run: async ({ own }) => (await theme()).listThemes(own.json),
  }),
  command<Json>({
    name: 'theme preview',
    says: 'Print sample rows in one or all themes, with the contrast of their texts.',
    words: [['[theme]', 'its name']],
    flags: [['--json', 'print {"items": [{"name", "colours", "contrast"}]}']],
    run: async ({ words: [name], own, common }) => (await theme()).previewThemes(name, common, own.json),
  }),
]

/** Declares `mcpdeck server` and its commands. */
const server: readonly CommandDeclaration[] = [
  { name: 'server', says: 'Import and export server lists of other programs, such as mcp.json.' },
  verb(
    {
      name: 'server import',
      says: 'Save servers from a file of another program, or list the files that are found.',
      words: [
        ['[file]', 'mcp.json or a similar file; - reads standard input; by default the files of known programs'],
        ['[server...]', 'names to import; by default all of the file'],
      ],
      flags: [
        ['--all', 'without a file: import everything that is found'],
        ['--dry-run', 'show the changes without making them'],
        ['--yes', 'do not ask'],
        ['--json', 'print {"items": [...], "problems": [...]}, or one object with the plan and what was done'],
      ],
    },
    async () => (await import('./servers/import-command.ts')).importServers,
  ),
  verb(
    {
      name: 'server export',
      says: 'Print saved servers as mcp.json, with references for secrets.',
      words: [['[server...]', 'names or ids; by default all of the project']],
      flags: [new Option('--format <format>', 'format of the file').choices(EXPORT_FORMATS).default('mcp')],
    },
    async () => (await import('./servers/export-command.ts')).exportServers,
  ),
]

const installing = () => import('./mcp/install.ts')

const INSTALL_FLAGS: readonly DeclaredFlag[] = [
  new Option('--client <program>', 'the program that starts mcpdeck')
    .choices([...EDITED_PROGRAMS, 'codex'])
    .makeOptionMandatory(),
  ['--yes', 'do not ask before the file is written'],
]

/** `mcpdeck mcp` and its commands. */
const mcp: readonly CommandDeclaration[] = [
  verb(
    {
      name: 'mcp',
      says: 'Serve the workspace to an agent as an MCP server over standard input and output; it only reads.',
    },
    async () => (await import('./mcp/serve-mcp.ts')).serveMcp,
  ),
  command<InstallOptions>({
    name: 'mcp install',
    says: 'Add mcpdeck to the MCP servers of another program, after showing the change.',
    flags: INSTALL_FLAGS,
    run: async ({ own, common }) => (await installing()).install(common, own),
  }),
  command<InstallOptions>({
    name: 'mcp uninstall',
    says: 'Remove mcpdeck from the MCP servers of another program, after showing the change.',
    flags: INSTALL_FLAGS,
    run: async ({ own }) => (await installing()).uninstall(own),
  }),
]
