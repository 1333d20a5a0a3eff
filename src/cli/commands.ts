import { buildCommandLine, type CommandLine, type CommandLineOptions } from './command-line.ts'
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
  return buildCommandLine(options, isEnough ? named : declared)
}
