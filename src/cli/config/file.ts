import type { Stats } from 'node:fs'
import type { Document } from 'yaml'
import { BOUNDS } from '../../lib/bounds.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { configFile, realPath } from './directories.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { TextProblem } from '../../lib/yaml/yaml-reading.ts'
import type { Checked } from './check.ts'
import { DEFAULTS } from './defaults.ts'
import type { Config } from './schema.ts'

/** The active settings, with the file they come from. */
export type LoadedConfig = {
  path: string
  /** The text of the file; undefined if there is none. */
  text: string | undefined
  config: Config
  /** The file as it is, for changes that keep its comments; empty if there is none. */
  document: Document
}

const MAX_BYTES = BOUNDS.configFile.most

/** A config file that cannot be used. */
export class ConfigError extends UsageError {
  override readonly name = 'ConfigError'
  readonly path: string
  readonly problems: readonly TextProblem[]

  constructor(path: string, problems: readonly [TextProblem, ...TextProblem[]]) {
    const others = problems.length - 1
    super(
      problemLine(path, problems[0]) +
        (others > 0 ? ` There ${others === 1 ? 'is one more' : `are ${others} more`}: mcpdeck config check.` : ''),
    )
    this.path = path
    this.problems = problems
  }
}

/** Returns `file:12:3: what is wrong`, a format that editors open. */
export function problemLine(path: string, { line, column, message }: TextProblem): string {
  return `${path}:${line}:${column}: ${message}`
}

/**
 * Reads the config file; without one, uses defaults or the given text.
 * @throws ConfigError if something in it is wrong
 * @throws UsageError if it cannot be read
 */
export async function loadConfig(env: NodeJS.ProcessEnv, without = ''): Promise<LoadedConfig> {
  const path = configFile(env)
  const text = readConfigText(path)
  const checked = await check(text ?? without)
  if (!checked.ok) throw new ConfigError(path, checked.problems)
  return { path, text, config: checked.config, document: checked.document }
}

/** Returns the active settings; loads the YAML parser only if there is a file. */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  return readConfigText(configFile(env)) === undefined ? DEFAULTS : (await loadConfig(env)).config
}

/**
 * Returns the text of the file, or undefined when there is none.
 * @param inspect gets owner and mode of the open file before it is read, and may throw a UsageError
 * @throws UsageError when it cannot be read
 */
export function readConfigText(path: string, inspect?: (stats: Stats) => void): string | undefined {
  try {
    return readRegularFile(path, MAX_BYTES, inspect)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new UsageError(`The config file ${path} cannot be read: ${systemErrorReason(error)}.`)
  }
}

/** Validates a text as the content of a config file, with all bindings for `keys`. */
export async function check(text: string): Promise<Checked> {
  const [{ checkConfig }, { allBindings }] = await Promise.all([
    import('./check.ts'),
    import('../../app/shell/all-bindings.ts'),
  ])
  return checkConfig(text, allBindings)
}

/**
 * Writes a changed config atomically, for its owner only.
 * @param before the text that was changed; undefined if there was no file
 * @returns false if another process has changed the file since; nothing is written then
 * @throws ConfigError if the change made it invalid, before anything is written
 */
export async function writeConfig(path: string, text: string, before: string | undefined): Promise<boolean> {
  const [checked, { changeAlone }] = await Promise.all([check(text), import('./change-alone.ts')])
  if (!checked.ok) throw new ConfigError(path, checked.problems)
  try {
    return changeAlone(path, () => {
      if (readConfigText(path) !== before) return false
      // A link, for example into a repository of settings, is kept.
      writeForOwner(realPath(path), text, { flush: true })
      return true
    })
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `The config file ${path} cannot be written: ${systemErrorReason(error)}. MCPDECK_CONFIG names another.`,
    )
  }
}
