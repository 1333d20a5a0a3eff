import { buildCommandLine, type CommandLine, type CommandLineOptions } from './commands/command-line.ts'
import type { CommandDeclaration } from './commands/declare.ts'
import { api } from './commands/api.ts'
import { documents } from './commands/documents.ts'
import { get, inspection, notebook, now } from './commands/inspection.ts'
import { profiles } from './commands/profile.ts'
import { tryServer } from './commands/reach.ts'
import { runs } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { server } from './commands/server.ts'
import { serverVerbs } from './commands/server-commands.ts'
import { suites } from './commands/suite.ts'
import { themes } from './commands/theme.ts'
import { verbs } from './commands/verbs.ts'

/** The commands as the help lists them, by what a person wants to do. */
const HELP_GROUPS: Readonly<Record<string, string>> = {
  Look: 'now get describe search notebook',
  'Suites and runs': 'run watch compare cancel suite launch dismiss',
  Servers: 'try doctor tools call prompt read validate snapshot sign-in sign-out import-tokens server',
  'A project as files': 'export apply create edit delete',
  'Scenarios and their visitors': 'publish unpublish rotate invite remove-member visit',
  'Agent and chat': 'ask chat',
  'Service and program': 'serve api budget journal profile config theme completion man help',
}

/**
 * The command line with every command.
 * @param word the first of the words, where these are known: where that is a command, only what it needs is made
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

/** Commander lists groups and what is in them in the order in which commands were added. */
function inHelpOrder(declared: readonly CommandDeclaration[]): CommandDeclaration[] {
  const order = Object.values(HELP_GROUPS).flatMap(names => names.split(' '))
  const place = ({ name }: CommandDeclaration) => order.indexOf(name.split(' ', 1)[0] ?? name)
  return declared.toSorted((a, b) => place(a) - place(b))
}
