import { collect, duration } from '../arguments/option-values.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { beginSaved } from '../workspace/saved-server.ts'
import { beginUnsaved, UNSAVED, type ReachOptions, type ReachParts } from '../workspace/unsaved-reach.ts'
import { tryServer as beginTry } from '../try/try-command.ts'
import { command, type DeclaredFlag } from './declare.ts'

/** What goes with the command or the address of a server that is saved nowhere. */
const PARTS: readonly DeclaredFlag[] = [
  ['--env <NAME=value>', 'a variable of its environment; repeatable', collect, []],
  ['--header <header>', "a header of every request, such as 'Name: value'; repeatable", collect, []],
  ['--token-env <variable>', 'variable that holds a token for its address'],
  ['--timeout <time>', 'longest wait for the server, such as 90s, at most 5m', duration],
  ['--cwd <dir>', 'work in this directory, as if mcpdeck were started there'],
]

/** Reaches a server without saving anything. */
export const REACH: readonly DeclaredFlag[] = [
  ['--command <command>', 'run this program as the server instead of a saved one; nothing is saved'],
  ['--url <url>', 'connect to this address instead of a saved server; nothing is saved'],
  ...PARTS,
]

/**
 * Whether options reach a server that is saved nowhere.
 * @throws UsageError for what would be left out of account with a saved one
 */
export function reachesUnsaved({ command, url, env = [], header = [], tokenEnv, timeout, cwd }: ReachOptions): boolean {
  if (command !== undefined || url !== undefined) return true
  const parts = { '--env': env[0], '--header': header[0], '--token-env': tokenEnv, '--timeout': timeout, '--cwd': cwd }
  const [stray] = Object.entries(parts).find(([, value]) => value !== undefined) ?? []
  if (stray) throw new UsageError(`${stray} goes with --command or --url; a saved server has its own settings.`)
  return false
}

/** Works on the server that options reach, which has this name meanwhile; its program starts before all else. */
export async function unsavedly<Work>(
  common: CommonOptions,
  own: ReachOptions,
  load: () => Promise<Work>,
  act: (work: Work, context: CommandContext, name: string) => Promise<number | void>,
): Promise<number> {
  const server = beginUnsaved(own)
  try {
    const [{ withUnsavedServer }, work] = await Promise.all([import('../workspace/unsaved-server.ts'), load()])
    return await withUnsavedServer(common, server, context => act(work, context, UNSAVED))
  } finally {
    await server.early?.end()
  }
}

/** Works on the saved server of this id or name, whose program starts before all else. */
export async function savedly<Work>(
  common: CommonOptions,
  server: string | undefined,
  load: () => Promise<Work>,
  act: (work: Work, context: CommandContext) => Promise<number | void>,
): Promise<number> {
  const { settings, early } = await beginSaved(common, server)
  try {
    const [{ inSettings }, work] = await Promise.all([import('../workspace/in-workspace.ts'), load()])
    return await inSettings({ common, settings }, context => act(work, context), { early })
  } finally {
    await early?.end()
  }
}

/** `mcpdeck try`. */
export const tryServer = command<ReachParts>({
  name: 'try',
  says: 'Open the dashboard on a server alone, by its command or its address; nothing is saved.',
  words: [['<server...>', 'its address, or -- and the command that runs it with its arguments']],
  flags: PARTS,
  after: () =>
    '\nSuch as:\n  mcpdeck try -- npx -y @modelcontextprotocol/server-everything\n' +
    '  mcpdeck try --token-env TOKEN https://mcp.example/mcp\n',
  run: ({ words, own, common }) => beginTry(words, own, common),
})
