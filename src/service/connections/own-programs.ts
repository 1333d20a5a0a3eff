import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where npm puts the programs of mcpdeck's dependencies, another Node among them; `npm start` and `npx` put it on the
 * PATH.
 */
const OWN_PROGRAMS = ownPrograms(fileURLToPath(import.meta.url))

/** The folders that npm made for this package alone: below it, and around it in a cache of `npx`. */
export function ownPrograms(file: string): string[] {
  const parts = file.split(path.sep)
  const at = parts.findLastIndex(part => part === 'dist' || part === 'src')
  const root = parts.slice(0, at)
  const around = root.slice(0, -2)
  const isCache = root.at(-2) === 'node_modules' && around.at(-2) === '_npx'
  return [root, ...(isCache ? [around] : [])].map(folder => [...folder, 'node_modules', '.bin'].join(path.sep))
}

/** The environment for programs of the person: the same, without mcpdeck's own dependencies on its PATH. */
export function withoutOwnPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH } = env
  if (PATH === undefined) return env
  const isOwn = (folder: string) => OWN_PROGRAMS.includes(folder) || OWN_PROGRAMS.includes(realPath(folder))
  const folders = PATH.split(path.delimiter).filter(folder => !isOwn(folder))
  return { ...env, PATH: folders.join(path.delimiter) }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
