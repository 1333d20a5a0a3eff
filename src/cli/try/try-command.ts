import { programReach, reachOf, type Reach } from '../../domain/servers/reach.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { isAtTerminal } from '../process/at-terminal.ts'
import { enterDirectory, moreOf, startReach, type ReachParts } from '../workspace/unsaved-reach.ts'
import { isAbsolute, join } from 'node:path'

/**
 * Runs `mcpdeck try`: opens the dashboard on one server, in a temporary workspace. The server's program is started
 * before any module that opens or draws is loaded.
 * @throws UsageError without a terminal, and for an invalid server
 */
export async function tryServer(words: readonly string[], own: ReachParts, common: CommonOptions): Promise<undefined> {
  if (!isAtTerminal())
    throw new UsageError(
      'mcpdeck try opens the dashboard, which needs a terminal. Without one, mcpdeck tools and mcpdeck call take ' +
        '--command or --url.',
    )
  const reach = requireReach(words, own)
  enterDirectory(own)
  const name = serverNameOf(reach, process.cwd())
  const early = startReach(reach, name, 'here')
  try {
    const { openTry } = await import('./open-try.ts')
    await openTry({ reach, name, early, directory: own.cwd && process.cwd() }, common)
  } catch (error) {
    await early?.end()
    throw error
  }
}

function requireReach(words: readonly string[], own: ReachParts): Reach {
  const more = moreOf(own, process.env)
  const [word = ''] = words
  // A single word is an address, a program, or a whole command in quotes.
  const reach = words.length === 1 ? reachOf(word, more) : programReach(words, more)
  if (typeof reach === 'string') throw new UsageError(reach)
  return reach
}

/** Programs that run another program, which their arguments name. */
const RUNNERS = /^(?:npx|npm|pnpm|yarn|bunx?|node|nodejs|deno|tsx|uvx?|uv|pipx|python\d*(?:\.\d+)?|docker|podman|env)$/
/** Arguments of such a program that are not the name. */
const SUBCOMMANDS = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start'])

/**
 * Returns a name for an unnamed server: its host, or the last part of the program's name.
 * @param directory the directory that it runs in
 */
export function serverNameOf({ url, command = '', args = [] }: Reach, directory: string): string {
  if (url !== undefined) return new URL(url).host
  const named = args.find(arg => !arg.startsWith('-') && !arg.includes('=') && !SUBCOMMANDS.has(arg))
  const word = RUNNERS.test(lastPart(command)) ? (named ?? command) : command
  return lastPart(FILE.test(word) && !isAbsolute(word) ? join(directory, word) : word) || 'server'
}

/** Matches what may be the path of a file. */
const FILE = /^\.|[\\/]|\.(?:[cm]?[jt]s|py|sh|exe|cmd)$/
/** Common names of program files and of build folders. */
const PLAIN = /^(?:index|main|__main__|server|cli|app|dist|build|lib|src|bin|)$/

/** Returns the name without folders, scope, version and extension; if that is too general, the folder's name. */
function lastPart(word: string): string {
  const names = word.split(/[\\/]/).map(plainName)
  return names.findLast(name => !PLAIN.test(name) && !/^\.{1,2}$/.test(name)) ?? names.at(-1) ?? ''
}

function plainName(part: string): string {
  return part.replace(/(?<=.)@.*$/, '').replace(/(?<=.)\.(?:[cm]?[jt]s|py|sh|exe|cmd)$/, '')
}
