import { statSync, accessSync, constants, lstatSync, readdirSync, statfsSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { ApiResponse } from '../../api/contract/message.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { abilitiesOf } from '../../tui/terminal/abilities.ts'
import { clean } from '../../tui/theme/text.ts'
import { compileCacheState } from '../boot/compile-cache.ts'
import { ConfigError, loadConfig, problemLine } from '../config/file.ts'
import type { Config } from '../config/schema.ts'
import { configFile, directories } from '../config/directories.ts'
import { fail, type Finding, ok, skipped, warn } from './doctor-check.ts'
import type { Log } from '../output/log.ts'
import { readKey } from '../config/profile-key.ts'
import { type Choice, chooseProfile, sourceText } from '../config/profiles.ts'
import { localSettings, type Settings, settingsOf, UsageError, type CommonOptions } from '../config/settings.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../../lib/sqlite.ts'

const LEAST_COLUMNS = 60
const LEAST_ROWS = 15
const OTHERS_WRITE = 0o022
/** With a larger clock difference, the ages and waits on screen are wrong. */
const SKEW_MS = 30_000
const NOBODY = async () => undefined

/** Returns all checks of mcpdeck itself on this machine, the most important first. */
export async function selfChecks(common: CommonOptions, version: string, log: Log): Promise<Finding[]> {
  const env = process.env
  const { finding: configured, config } = await checkConfigFile(env)
  const { finding: chosen, choice } = config
    ? choose(common, config)
    : { finding: skipped('profile', 'the config file has to be fixed first'), choice: undefined }
  const { finding: keyed, key } = choice
    ? await checkKey(choice)
    : { finding: skipped('key', 'there is no profile to read it for') }
  const settings = config && choice && key !== undefined ? settingsOf(choice, key, config, common, env) : undefined
  return [
    ok('version', `mcpdeck ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`),
    checkTerminal(env, common),
    configured,
    chosen,
    keyed,
    ...(settings ? await checkService(settings, log) : [skipped('service', 'there is no profile to reach it with')]),
    ...checkFiles(common),
  ]
}

function checkTerminal(env: NodeJS.ProcessEnv, { ascii }: CommonOptions): Finding {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return ok('terminal', 'there is none here, so mcpdeck prints plain text')
  const { colour, unicode, dumb } = abilitiesOf(env, true)
  const colours = { 0: 'no colours', 16: '16 colours', 256: '256 colours', true: 'true colour' }[colour]
  const { columns, rows } = stdout
  const detail = `${clean(env.TERM ?? '')}, ${colours}, ${unicode ? 'UTF-8' : 'ASCII'}, ${columns}×${rows}`
  if (dumb) return warn('terminal', `${detail}: it cannot move the cursor`, 'Set TERM to what the terminal is.')
  if (columns < LEAST_COLUMNS || rows < LEAST_ROWS)
    return warn('terminal', detail, `Make it at least ${LEAST_COLUMNS}×${LEAST_ROWS}.`)
  if (!unicode && !ascii)
    return warn('terminal', detail, 'Set LANG to a UTF-8 locale, such as C.UTF-8, for the better symbols.')
  return ok('terminal', detail)
}

async function checkConfigFile(env: NodeJS.ProcessEnv): Promise<{ finding: Finding; config?: Config }> {
  const path = configFile(env)
  try {
    const { config, text } = await loadConfig(env)
    if (text === undefined && env.MCPDECK_CONFIG)
      return {
        finding: warn(
          'config',
          `MCPDECK_CONFIG names ${path}, which is not there; everything is at its default`,
          'Unset it, name another file, or write this one: mcpdeck config init.',
        ),
        config,
      }
    if (text === undefined)
      return { finding: ok('config', `there is no ${path}; everything is at its default`), config }
    const mode = statSync(path).mode & 0o777
    return process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0
      ? { finding: warn('config', `others can write ${path} (mode ${mode.toString(8)})`, `chmod 600 ${path}`), config }
      : { finding: ok('config', path), config }
  } catch (error) {
    if (error instanceof ConfigError) {
      const lines = error.problems.map(problem => problemLine(path, problem))
      return { finding: fail('config', 'configuration', lines.join('\n'), `Mend ${path}.`) }
    }
    return { finding: fail('config', 'configuration', wordsOf(error), `Fix or move away ${path}.`) }
  }
}

function choose(common: CommonOptions, config: Config): { finding: Finding; choice?: Choice } {
  try {
    const choice = chooseProfile(common, process.env, config)
    const where =
      choice.kind === 'local'
        ? 'the local workspace'
        : `${choice.name} at ${choice.baseUrl}${choice.readOnly ? ', read-only' : ''}`
    return { finding: ok('profile', `${where} (${choice.because})`), choice }
  } catch (error) {
    const next = 'mcpdeck profile list names the profiles, mcpdeck profile add makes one.'
    return { finding: fail('profile', 'configuration', wordsOf(error), next) }
  }
}

async function checkKey(choice: Choice): Promise<{ finding: Finding; key?: string }> {
  if (choice.kind === 'local') return { finding: ok('key', 'the local workspace needs none of yours'), key: '' }
  const from = sourceText(choice.source)
  try {
    const key = await readKey(choice, process.env, NOBODY)
    const finding =
      process.env.MCPDECK_API_KEY && !(choice.source.kind === 'variable')
        ? warn('key', `from ${from}; MCPDECK_API_KEY is set, and not used`, 'Unset it, if nothing else needs it.')
        : ok('key', `from ${from}, in the format of a key`)
    return { finding, key }
  } catch (error) {
    const next = `The key of ${choice.name} comes from: ${from}.`
    return { finding: fail('key', 'configuration', wordsOf(error), next) }
  }
}

/** Checks with one request whether the service can be reached, accepts the key, and what time it has. */
async function checkService(settings: Settings, log: Log): Promise<Finding[]> {
  let clock: Finding = skipped('clock', 'the service did not report its time')
  const start = performance.now()
  const onAnswer = (answer: ApiResponse) => {
    clock = checkClock(answer.headers.get('date'))
  }
  const opened = openWorkspace(settings, log, 'briefly', { onAnswer })
  const { client, profile } = opened.workspace
  const where = profile.local ? 'the local workspace' : profile.host
  try {
    const { name, email } = await client.account.me({})
    const took = `${Math.round(performance.now() - start)} ms`
    const who = clean(name ?? email ?? 'an account without a name')
    return profile.local
      ? [ok('service', `${where} answers, in ${took}`)]
      : [ok('service', `${where} answers, in ${took}`), ok('account', `the key is accepted, as ${who}`), clock]
  } catch (error) {
    return [...serviceFault(error, where), ...(profile.local ? [] : [clock])]
  } finally {
    await opened.close()
  }
}

function serviceFault(error: unknown, where: string): Finding[] {
  const { title, sentence, next } = describeError(error)
  const isAnswer = error instanceof ApiError && error.answer === 'contract'
  if (!isAnswer) return [fail('service', 'service', `${where}: ${title}. ${sentence}`, next)]
  return [
    ok('service', `${where} answers`),
    fail('account', 'service', `${title}: ${sentence} The service says: ${clean(error.message)}`, next),
  ]
}

/** Compares the service's time, which has whole seconds, with the time of this machine. */
export function checkClock(date: string | null, now = Date.now()): Finding {
  const theirs = date === null ? NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return skipped('clock', 'the service does not report its time')
  const skew = now - theirs
  const seconds = Math.round(Math.abs(skew) / 1000)
  return Math.abs(skew) > SKEW_MS
    ? warn(
        'clock',
        `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service, so ages are wrong`,
        'Let the system set its clock by the network (NTP).',
      )
    : ok('clock', `within ${Math.max(1, seconds)} s of the service`)
}

function checkFiles(common: CommonOptions): Finding[] {
  const { dataDir } = localSettings(common, process.env)
  const { state, cache } = directories()
  return [
    checkDirectory({ name: 'config dir', path: dirname(configFile(process.env)), open: true }),
    checkDirectory({ name: 'data dir', path: dataDir }),
    checkDirectory({ name: 'state dir', path: state }),
    checkDirectory({ name: 'cache dir', path: cache }),
    checkCompileCache(process.env),
    checkDatabase('workspace', join(dataDir, 'mcpdeck.sqlite')),
    checkDatabase('journal', join(state, 'journal.sqlite')),
    checkDatabase('budget', join(state, 'budget.sqlite')),
  ]
}

/**
 * Checks the compile cache. Without one the program only starts more slowly, but others could run their code through a
 * cache that they can write.
 */
function checkCompileCache({ NODE_DISABLE_COMPILE_CACHE: off }: NodeJS.ProcessEnv): Finding {
  if (off) return ok('compile cache', 'there is none, because NODE_DISABLE_COMPILE_CACHE is set')
  const state = compileCacheState()
  if ('directory' in state) return ok('compile cache', state.directory)
  const { why, next, exposed } = state
  return exposed
    ? warn('compile cache', `others can run code in mcpdeck: ${why}`, `Unset NODE_COMPILE_CACHE, or ${next}`)
    : warn('compile cache', `there is none, so each start takes longer: ${why}`, next)
}

function wordsOf(error: unknown): string {
  if (error instanceof UsageError) return error.message
  return error instanceof Error ? error.message : String(error)
}

/** Milliseconds to wait for a database that another program has locked. */
const BUSY_MS = 2000

/** Type of the file system below `/proc`, in which even root cannot create files. */
const PROC = 0x9fa0

const OTHERS = 0o077
/** Files that must be private to their owner, in any directory. */
const SECRET_FILE = /\.(?:key|sqlite)$/

type Directory = {
  name: string
  path: string
  /** Files in it may be readable by others. */
  open?: boolean
}

/** Checks whether a directory can be written, and whether others can see its contents. */
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

/** Returns the stats of a path, or the error that prevented reading them. */
function statsOf(path: string): Stats | Error | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Reports a closed path; the contents may be fine. */
function barred(name: string, path: string, error?: Error): Finding {
  const why = error ? `cannot be read: ${error.message}` : 'may not be read and written by this user'
  return fail(name, 'configuration', `${path} ${why}`, `chown or chmod it: ${path}`)
}

function missingDirectory(name: string, path: string): Finding {
  let parent = dirname(path)
  // The root of a drive that does not exist is its own parent.
  while (lstatSync(parent, { throwIfNoEntry: false }) === undefined && parent !== dirname(parent))
    parent = dirname(parent)
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

/** Returns the secret files that others can read through the permissions of the directory and the files. */
function exposedFiles(path: string): string[] {
  if ((statSync(path).mode & OTHERS) === 0 || !isAllowed(path, constants.R_OK)) return []
  return readdirSync(path).filter(name => {
    const stats = SECRET_FILE.test(name) ? statsOf(join(path, name)) : undefined
    return stats && !(stats instanceof Error) && (stats.mode & OTHERS) !== 0
  })
}

/** Checks whether a database can be read and is not damaged. */
export function checkDatabase(name: string, path: string): Finding {
  const stats = statsOf(path)
  if (stats === undefined) return ok(name, `${path} is created when it is needed`)
  if (stats instanceof Error) return barred(name, path, stats)
  // SQLite writes beside the database even to read it.
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
        : fail(name, 'service', `${path} is damaged: ${words}`, 'Put a copy back, or move it away to start over.')
    } finally {
      database.close()
    }
  } catch (error) {
    if (isBusy(error)) return warn(name, `${path} is being written by another program`, 'Try again in a moment.')
    const words = error instanceof Error ? error.message : String(error)
    return fail(name, 'service', `${path} cannot be read: ${words}`, 'Move it away to start over, or put a copy back.')
  }
}
