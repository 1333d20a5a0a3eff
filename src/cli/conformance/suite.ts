import { once } from 'node:events'
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { BOUNDS } from '../../lib/bounds.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'
import { type Check, type RanScenario, readChecks } from '../../domain/conformance/verdict.ts'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'
import { createGuardian } from '../../service/connections/guardian.ts'
import { lastWordsIn } from '../../service/connections/last-words.ts'
import { startServer, type ServerProcess } from '../../service/connections/server-process.ts'
import { createLineReader } from '../../service/connections/stdio-link.ts'
import { settlesWithin, untilAborted } from '../../service/core/deadline.ts'
import { UsageError } from '../arguments/usage-error.ts'

const PACKAGE = '@modelcontextprotocol/conformance'
/** The version of the official suite that mcpdeck is tested with, and that is fetched if none is installed. */
export const SUITE_VERSION = '0.1.16'

/** The official conformance suite, as mcpdeck runs it. */
export type Suite = {
  version: string
  /** Directory in which it is installed; undefined if npx fetches it. */
  installedIn: string | undefined
  command: string
  args: readonly string[]
}

/**
 * Finds the suite installed in a folder or its parents, else uses npx, which fetches it.
 * @param wanted a version; by default the installed one, else the tested one
 * @throws UsageError for an invalid version, and for an installed package without a valid manifest that names a program
 */
export function findSuite(folder: string, wanted: string | undefined): Suite {
  const installed = installedSuite(folder)
  if (installed && (wanted === undefined || wanted === installed.version)) return installed
  const version = wanted ?? SUITE_VERSION
  // The version becomes part of a package name.
  if (!/^[\w][\w.+-]*$/.test(version)) throw new UsageError(`--suite-version: "${version}" is no version.`)
  return { version, installedIn: undefined, command: 'npx', args: ['-y', `${PACKAGE}@${version}`] }
}

function installedSuite(folder: string): Suite | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const installedIn = join(at, 'node_modules', PACKAGE)
    const manifest = join(installedIn, 'package.json')
    // In a folder that all users share, a package of another user would run as this user.
    if (existsSync(manifest) && isTrusted(installedIn) && isTrusted(manifest)) {
      const { version, bin } = manifestIn(manifest)
      const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
      if (typeof version !== 'string' || file === undefined) throw new UsageError(`${manifest} names no program.`)
      const program = join(installedIn, file)
      if (isTrusted(program))
        return { version, installedIn, command: isNode() ? process.execPath : 'node', args: [program] }
    }
    if (at === dirname(at)) return undefined
  }
}

/** Whether a file or folder belongs to this user or to root. For a link, both the link and its target must. */
function isTrusted(path: string): boolean {
  const user = process.getuid?.()
  const owners = [lstatSync, statSync].map(read => read(path, { throwIfNoEntry: false })?.uid)
  return user === undefined || owners.every(owner => owner === undefined || owner === 0 || owner === user)
}

/** @throws UsageError for an invalid package manifest */
function manifestIn(file: string): { version?: unknown; bin?: string | Record<string, string> } {
  try {
    return Object(JSON.parse(readRegularFile(file, BOUNDS.configFile.most))) as ReturnType<typeof manifestIn>
  } catch {
    throw new UsageError(`${file} cannot be read as the manifest of a package.`)
  }
}

/** Whether this process is a Node that can run other programs, unlike a single executable. */
const isNode = (): boolean => !process.getBuiltinModule('node:sea').isSea()

/**
 * Returns the environment with this Node first on the PATH: the suite needs a Node as new as this one, and npx uses the
 * first one.
 */
function nodeFirst(): Record<string, string> {
  const { PATH = '' } = withoutOwnPrograms(process.env)
  return isNode() ? { PATH: [dirname(process.execPath), PATH].filter(Boolean).join(delimiter) } : {}
}

type SuiteRun = {
  url: string
  /** The only scenario to run; if absent, the suite chooses. */
  scenario: string | undefined
  specVersion: string | undefined
  /** Ends the suite. */
  signal: AbortSignal
  /** Removes secrets from a text. */
  cleaned: (text: string) => string
  /** Called for each scenario as soon as it has ended. */
  onScenario: (scenario: RanScenario) => void
}

/**
 * Runs the server part of the suite to its end, in an environment of its own and a temporary folder.
 * @returns a sentence that says why the result is incomplete; undefined if it is complete
 */
export async function runSuite({ command, args }: Suite, run: SuiteRun): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-conformance-'))
  const guardian = createGuardian()
  try {
    const own = [`--url=${run.url}`, `--output-dir=${folder}`]
    if (run.scenario !== undefined) own.push(`--scenario=${run.scenario}`)
    if (run.specVersion !== undefined) own.push(`--spec-version=${run.specVersion}`)
    const program = { command, args: [...args, 'server', ...own], env: nodeFirst() }
    const suite = await startServer(program, NAME, guardian, 'here').catch((error: Error) => error)
    return suite instanceof Error
      ? `${suite.message.replace(`The server "${NAME}"`, 'The suite')}.`
      : await followSuite(suite, folder, run)
  } finally {
    guardian.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const NAME = 'conformance suite'
const MOST_LINE = 1024 * 1024
const MOST_WORDS = 64 * 1024
const BEGINS = /^=== Running scenario: (.+) ===$/
const HOW_MANY = /^Running \w+ suite \((\d+) scenarios\)/
/** Milliseconds to wait for output that may still be in the pipe when the process has ended, also on a busy machine. */
const DRAIN_MS = 5000

async function followSuite(suite: ServerProcess, folder: string, run: SuiteRun): Promise<string | undefined> {
  let words = ''
  let said = run.scenario === undefined ? undefined : 1
  const results = followResults(folder, run)
  if (run.scenario !== undefined) results.begin(run.scenario)
  const reader = createLineReader(MOST_LINE, line => {
    const text = stripVTControlCharacters(line).trimEnd()
    const scenario = run.scenario === undefined ? BEGINS.exec(text)?.[1] : undefined
    if (scenario !== undefined) results.begin(scenario)
    const count = HOW_MANY.exec(text)?.[1]
    if (count !== undefined) said ??= Number(count)
  })
  suite.child.stdin.end()
  suite.child.stdout.on('data', (chunk: Buffer) => void reader.push(chunk))
  suite.onStderr(chunk => {
    words = (words + chunk.toString('utf8')).slice(-MOST_WORDS)
  })
  const drained = once(suite.child.stdout, 'close')
  const how = await untilAborted(suite.ended, run.signal).catch(() => undefined)
  if (how !== undefined) await settlesWithin(drained, DRAIN_MS)
  await suite.end()
  results.end(how === undefined, name => crashOf(name, run.cleaned(words)))
  const ran = results.ran()
  if (how === undefined) return `The suite was ended after ${ran.length} of ${said ?? 'its'} scenarios.`
  return problemOf({ how, code: suite.child.exitCode, words: wordsOf(run.cleaned(words)), ran, said })
}

type Ended = {
  how: string
  code: number | null
  words: string
  ran: readonly RanScenario[]
  /** Number of scenarios that the suite announced; undefined if it announced none. */
  said: number | undefined
}

/**
 * Says why the result is incomplete. The suite exits with 1 if a check failed and with 0 if none did; any other code is
 * no result.
 */
function problemOf({ how, code, words, ran, said }: Ended): string | undefined {
  const ended = [how.split(':', 1)[0]!, ...(words === '' ? [] : [words])].join(': ')
  if (!ran.some(({ checks }) => checks)) return `The suite ran nothing; it ${ended}.`
  if (code !== 0 && code !== 1) return `The suite ${ended}.`
  if (said === undefined) return `The suite did not say how many scenarios it runs; it ran ${ran.length} and ${ended}.`
  if (ran.length < said) return `The suite ran ${ran.length} of ${said} scenarios; it ${ended}.`
  // A scenario without checks was aborted, which the suite counts as failed.
  const hasFailed = ran.some(({ checks }) => checks?.some(({ status }) => status === 'FAILURE') ?? true)
  return code === 1 && !hasFailed ? `The suite ${ended}, though no check failed.` : undefined
}

/** Reads the results of each scenario when the next one begins, and of the last when the suite has ended. */
function followResults(folder: string, { cleaned, onScenario }: Pick<SuiteRun, 'cleaned' | 'onScenario'>) {
  const ran: RanScenario[] = []
  const seen = new Set<string>()
  let current: { name: string; at: number } | undefined
  const finish = (why?: string): void => {
    if (!current) return
    const { name, at } = current
    current = undefined
    const result = readdirSync(folder).find(each => !seen.has(each) && scenarioOf(each) === name)
    if (result === undefined && why === '') return
    if (result !== undefined) seen.add(result)
    const checks = result === undefined ? undefined : checksIn(join(folder, result), cleaned)
    add({ name, durationMs: Math.round(performance.now() - at), checks, ...(why && !checks && { why }) })
  }
  const add = (scenario: RanScenario): void => {
    ran.push(scenario)
    onScenario(scenario)
  }
  return {
    ran: (): readonly RanScenario[] => ran,
    begin(name: string): void {
      finish()
      current = { name: cleaned(name), at: performance.now() }
    },
    /** @param wasStopped whether the last scenario may lack its result because the suite was stopped */
    end(wasStopped: boolean, whyOf: (name: string) => string | undefined): void {
      finish(wasStopped ? '' : current && whyOf(current.name))
      // Does not rely on the announcements, whose wording may change in a later suite.
      for (const each of readdirSync(folder).toSorted()) {
        const name = scenarioOf(each)
        if (name === undefined || seen.has(each)) continue
        add({ name: cleaned(name), durationMs: 0, checks: checksIn(join(folder, each), cleaned) })
      }
    },
  }
}

/** Returns the scenario of a result folder, `server-<scenario>-<time>`. */
function scenarioOf(name: string): string | undefined {
  return /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1]
}

function checksIn(folder: string, cleaned: SuiteRun['cleaned']): Check[] | undefined {
  try {
    return readChecks(readRegularFile(join(folder, 'checks.json'), BOUNDS.answer.most), cleaned)
  } catch {
    return undefined
  }
}

/** Returns the suite's message about a scenario that was aborted. */
function crashOf(name: string, words: string): string | undefined {
  const at = words.indexOf(`Failed to run scenario ${name}:`)
  return at === -1 ? undefined : words.slice(at).split('\n', 1)[0]
}

/** Maximum number of lines that are quoted in full. */
const FEW_LINES = 4

/** Returns the suite's own reason for ending, without the names that it lists after it. */
function wordsOf(words: string): string {
  const lines = stripVTControlCharacters(words)
    .replace(/^Available [\s\S]*/m, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return lines.length > FEW_LINES ? lastWordsIn(words) : lines.join(' ')
}
