import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { makeDirectory } from '../../lib/files/make-directory.ts'
import { exposureOf, exposureOfPrivate } from '../../lib/files/owner-only.ts'
import { directories } from '../config/directories.ts'
import { isAtTerminal } from '../process/at-terminal.ts'

/** The directory for compiled code, or why there is none and what to do. */
export type CompileCache = { directory: string } | { why: string; next: string }

/**
 * Returns a directory for compiled code, created on first use. Anyone who can write to it can run code in the program,
 * so only this user can enter it and nobody else can replace it.
 */
export function ownCompileCache(): CompileCache {
  const next = 'Set XDG_CACHE_HOME to a directory of your own.'
  try {
    const { cache } = directories()
    makeDirectory(join(cache, 'compiled'))
    const directory = join(realpathSync.native(cache), 'compiled')
    if (!lstatSync(directory).isDirectory()) return { why: `${directory} is a symbolic link`, next }
    const strange = strangeEntry(directory)
    if (strange !== undefined) return { why: `${strange} is not a file`, next: 'Remove it.' }
    return exposureOfPrivate(directory) ?? { directory }
  } catch (error) {
    return { why: systemErrorReason(error), next }
  }
}

/** Returns an entry of this Node's compiled code that is not a regular file: Node would wait forever for a pipe. */
function strangeEntry(directory: string): string | undefined {
  for (const { name } of readdirSync(directory, { withFileTypes: true })) {
    if (!name.startsWith(`${process.version}-`)) continue
    const folder = join(directory, name)
    const entry = readdirSync(folder, { withFileTypes: true }).find(each => !each.isFile())
    if (entry) return join(folder, entry.name)
  }
  return undefined
}

/** Kinds of starts. Those of one kind call similar functions, and share their compiled code. */
const KINDS = ['call', 'get', 'run', 'try']

/**
 * Lets Node store compiled code where only this user can write. If NODE_COMPILE_CACHE names another directory, Node
 * already uses that; if others can write to it, neither this program nor those it starts use it.
 * @param folder where the program's files are
 * @returns file for the compiled code of this kind of start; undefined if there is no place for it
 */
export function keepCompiledCode(folder: string, argv: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const { enableCompileCache, getCompileCacheDir } = process.getBuiltinModule('node:module')
  const given = getCompileCacheDir()
  if (given === undefined) {
    const own = ownCompileCache()
    if ('directory' in own) enableCompileCache(own.directory)
  } else if (exposureOfUsed(given)) {
    delete env['NODE_COMPILE_CACHE']
    return undefined
  }
  const used = getCompileCacheDir()
  const kind = KINDS.find(each => each === argv[0]) ?? (isAtTerminal() ? 'dashboard' : 'other')
  return used === undefined ? undefined : join(used, `mcpdeck-${kind}-${shortHash(folder)}`)
}

/** Hashes a folder's name with FNV-1a; loading Node's own hashes would take milliseconds. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16)
}

/** Returns where this process stores compiled code, or why nowhere; `exposed` if another user could change it. */
export function compileCacheState(): CompileCache & { exposed?: boolean } {
  const used = process.getBuiltinModule('node:module').getCompileCacheDir()
  if (used === undefined) {
    const own = ownCompileCache()
    if ('why' in own) return own
    return { why: `Node stores nothing in ${own.directory}`, next: 'See whether its disk is full.' }
  }
  const exposure = exposureOfUsed(used)
  return exposure ? { ...exposure, exposed: true } : { directory: dirname(used) }
}

/** Node's cache is a directory named after its version in the given one. */
function exposureOfUsed(used: string): ReturnType<typeof exposureOf> {
  try {
    return exposureOf(realpathSync.native(used))
  } catch (error) {
    return { path: used, why: systemErrorReason(error), next: 'Unset NODE_COMPILE_CACHE.' }
  }
}
