import { isAbsolute, join } from 'node:path'
import type { Reach } from '../../domain/servers/reach.ts'

/** Programs that run another one, which their arguments name. */
const RUNNERS = /^(?:npx|npm|pnpm|yarn|bunx?|node|nodejs|deno|tsx|uvx?|uv|pipx|python\d*(?:\.\d+)?|docker|podman|env)$/
/** Words behind such a program that name nothing. */
const SUBCOMMANDS = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start'])

/**
 * What a server is called that nobody has named: its host, or the last part of the program's name.
 * @param directory the one that it runs in
 */
export function serverNameOf({ url, command = '', args = [] }: Reach, directory: string): string {
  if (url !== undefined) return new URL(url).host
  const named = args.find(arg => !arg.startsWith('-') && !arg.includes('=') && !SUBCOMMANDS.has(arg))
  const word = RUNNERS.test(lastPart(command)) ? (named ?? command) : command
  return lastPart(FILE.test(word) && !isAbsolute(word) ? join(directory, word) : word) || 'server'
}

/** What may be the path of a file. */
const FILE = /^\.|[\\/]|\.(?:[cm]?[jt]s|py|sh|exe|cmd)$/
/** Names that many a program's file has, and folders that it is built into. */
const PLAIN = /^(?:index|main|__main__|server|cli|app|dist|build|lib|src|bin|)$/

/** Without folders, scope, version and ending; where that says nothing, the folder's name. */
function lastPart(word: string): string {
  const names = word.split(/[\\/]/).map(plainName)
  return names.findLast(name => !PLAIN.test(name) && !/^\.{1,2}$/.test(name)) ?? names.at(-1) ?? ''
}

function plainName(part: string): string {
  return part.replace(/(?<=.)@.*$/, '').replace(/(?<=.)\.(?:[cm]?[jt]s|py|sh|exe|cmd)$/, '')
}
