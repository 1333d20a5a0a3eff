import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../../lib/sqlite.ts'
import { fail, type Finding, ok, warn } from './doctor-check.ts'

/** How long another program may hold a database, in milliseconds. */
const BUSY_MS = 2000

/** The type of the file system below `/proc`, where even root can make nothing. */
const PROC = 0x9fa0

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
/** What belongs to its owner alone, wherever it lies. */
const SECRET_FILE = /\.(?:key|sqlite)$/

type Directory = {
  name: string
  path: string
  /** What lies there may be read by others. */
  open?: boolean
}

/** Whether a directory can be written, and whether others can see what is in it. */
export function checkDirectory({ name, path, open }: Directory): Finding {
  const stats = statsOf(path)
  if (stats instanceof Error) return barred(name, path, stats)
  if (!stats) return missingDirectory(name, path)
  if (!stats.isDirectory())
    return fail(name, 'configuration', `${path} is not a directory`, 'Move it away, or name another directory.')
  if (!isAllowed(path, constants.W_OK | constants.X_OK))
    return fail(name, 'configuration', `${path} cannot be written`, `chown or chmod it: ${path}`)
  if (process.platform === 'win32') return ok(name, path)
  const mode = (stats.mode & 0o777).toString(8)
  if ((stats.mode & OTHERS_WRITE) !== 0)
    return warn(name, `${path} can be written by others (mode ${mode})`, `chmod go-w ${path}`)
  const seen = open === true ? [] : exposedFiles(path)
  if (seen.length > 0)
    return warn(name, `others can read ${seen.join(', ')} in ${path}`, `chmod 600 ${join(path, seen[0] ?? '')}`)
  return ok(name, `${path} (mode ${mode})`)
}

/** What is there, or why that cannot even be asked. */
function statsOf(path: string): Stats | Error | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** What lies there may be as good as ever; only the way to it is closed. */
function barred(name: string, path: string, error?: Error): Finding {
  const why = error ? `cannot be read: ${error.message}` : 'may not be read and written by this user'
  return fail(name, 'configuration', `${path} ${why}`, `chown or chmod it: ${path}`)
}

function missingDirectory(name: string, path: string): Finding {
  let parent = dirname(path)
  while (lstatSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent)
  return isAllowed(parent, constants.W_OK | constants.X_OK) && statfsSync(parent).type !== PROC
    ? ok(name, `${path} is created when it is needed`)
    : fail(name, 'configuration', `${path} cannot be made`, `${parent} cannot be written; name another directory.`)
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Secret files that the rights of the directory and their own leave open. */
function exposedFiles(path: string): string[] {
  if ((statSync(path).mode & OTHERS) === 0 || !isAllowed(path, constants.R_OK)) return []
  return readdirSync(path).filter(name => {
    const stats = SECRET_FILE.test(name) ? statsOf(join(path, name)) : undefined
    return stats && !(stats instanceof Error) && (stats.mode & OTHERS) !== 0
  })
}

/** Whether a database can be read and is whole. */
export function checkDatabase(name: string, path: string): Finding {
  const stats = statsOf(path)
  if (stats === undefined) return ok(name, `${path} is created when it is needed`)
  if (stats instanceof Error) return barred(name, path, stats)
  // Also to read it SQLite writes beside it.
  const needs = [path, dirname(path)].filter(each => !isAllowed(each, constants.R_OK | constants.W_OK))
  if (needs.length > 0) return barred(name, needs.at(-1) ?? path)
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS })
    try {
      const [result] = database.prepare('PRAGMA quick_check(1)').all()
      const words = String(Object.values(result ?? {})[0])
      const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {}
      return words === 'ok'
        ? ok(name, `${path} is whole, version ${String(version)}`)
        : fail(name, 'service', `${path} is damaged: ${words}`, 'Put a copy back, or move it away to begin anew.')
    } finally {
      database.close()
    }
  } catch (error) {
    if (isBusy(error)) return warn(name, `${path} is being written by another program`, 'Try again in a moment.')
    const words = error instanceof Error ? error.message : String(error)
    return fail(name, 'service', `${path} cannot be read: ${words}`, 'Move it away to begin anew, or put a copy back.')
  }
}
