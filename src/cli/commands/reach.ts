import { collect, duration } from '../arguments/option-values.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { type CommonOptions, resolveSettings, type Settings } from '../config/settings.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { beginUnsaved, UNSAVED, type ReachOptions, type ReachParts } from '../workspace/unsaved-reach.ts'
import { tryServer as beginTry } from '../try/try-command.ts'
import { command, type DeclaredFlag } from './declare.ts'
import { startEarly, type EarlyStart } from '../../service/connections/early-start.ts'
import { storedCommand } from '../../service/servers/stored-command.ts'

/** Options for the command or address of an unsaved server. */
const PARTS: readonly DeclaredFlag[] = [
  ['--env <NAME=value>', 'environment variable for the server; repeatable', collect, []],
  ['--header <header>', "header of every request, such as 'Name: value'; repeatable", collect, []],
  ['--token-env <variable>', 'environment variable with a token for the address'],
  ['--timeout <time>', 'maximum wait for the server, such as 90s, up to 5m', duration],
  ['--cwd <dir>', 'run as if mcpdeck were started in this directory'],
]

/** Options that reach a server without saving anything. */
export const REACH: readonly DeclaredFlag[] = [
  ['--command <command>', 'command of an unsaved server to use'],
  ['--url <url>', 'address of an unsaved server to use'],
  ...PARTS,
]

/**
 * Whether options reach an unsaved server.
 * @throws UsageError for options that a saved server would ignore
 */
export function reachesUnsaved({ command, url, env = [], header = [], tokenEnv, timeout, cwd }: ReachOptions): boolean {
  if (command !== undefined || url !== undefined) return true
  const parts = { '--env': env[0], '--header': header[0], '--token-env': tokenEnv, '--timeout': timeout, '--cwd': cwd }
  const [stray] = Object.entries(parts).find(([, value]) => value !== undefined) ?? []
  if (stray) throw new UsageError(`${stray} goes with --command or --url; a saved server has its own settings.`)
  return false
}

/** Works on the server that the options reach, with a temporary name; its program starts first. */
export async function unsavedly<Work>(
  common: CommonOptions,
  own: ReachOptions,
  load: () => Promise<Work>,
  act: (work: Work, context: CommandContext, name: string) => Promise<number | void>,
  answers = false,
): Promise<number> {
  const server = beginUnsaved(own)
  try {
    const [{ withUnsavedServer }, work] = await Promise.all([import('../workspace/unsaved-server.ts'), load()])
    return await withUnsavedServer(common, server, context => act(work, context, UNSAVED), answers)
  } finally {
    await server.early?.end()
  }
}

/** Works on the saved server with this id or name, whose program starts first. */
export async function savedly<Work>(
  common: CommonOptions,
  server: string | undefined,
  load: () => Promise<Work>,
  act: (work: Work, context: CommandContext) => Promise<number | void>,
  answers = false,
): Promise<number> {
  const { settings, early } = await beginSaved(common, server)
  try {
    const [{ inSettings }, work] = await Promise.all([import('../workspace/in-workspace.ts'), load()])
    return await inSettings({ common, settings }, context => act(work, context), { early, answers })
  } finally {
    await early?.end()
  }
}

/** Declares `mcpdeck try`. */
export const tryServer = command<ReachParts>({
  name: 'try',
  says: 'Open the dashboard on one server by its command or address, without saving it.',
  words: [['<server...>', 'address, or -- and the command with its arguments']],
  flags: PARTS,
  after: () =>
    '\nExamples:\n  mcpdeck try -- npx -y @modelcontextprotocol/server-everything\n' +
    '  mcpdeck try --token-env TOKEN https://mcp.example/mcp\n',
  run: ({ words, own, common }) => beginTry(words, own, common),
})

/**
 * Starts the program of a server saved on this machine before anything else is loaded; does nothing if it is uncertain
 * which one is meant.
 * @throws UsageError for invalid settings
 */
async function beginSaved(
  common: CommonOptions,
  server: string | undefined,
): Promise<{ settings: Settings; early: EarlyStart | undefined }> {
  const settings = await resolveSettings(common, process.env)
  const isLocal = settings.target.kind === 'local' && server !== undefined
  const stored = isLocal ? storedCommand(settings.dataDir, server, settings.project) : undefined
  return { settings, early: stored && startEarly(stored.command, stored.name, 'guardian') }
}
