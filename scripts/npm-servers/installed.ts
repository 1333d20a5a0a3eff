import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import envPaths from 'env-paths'
import { inspectorPackage } from '../bench/workbench-peers.ts'
import { npmServers, type NpmServer } from './list.ts'
import type { Start } from './mcpdeck.ts'
import { runNode, type Ended } from './outcome.ts'

/** The folder of the installed servers and their saved results. */
export const folder: string = join(envPaths('mcpdeck-bench', { suffix: '' }).cache, 'npm-servers')

type Package = { name: string; version: string }

/**
 * Installs a package in its own folder below the user's cache, as npx does, unless this version is there: together with
 * others it may get two copies of a library, and then lists its tools differently. Resolves to its folder.
 */
async function installed({ name, version }: Package): Promise<string> {
  const own = join(folder, 'own', nameOfFile(name))
  const place = join(own, 'node_modules', name)
  if (existsSync(join(place, 'package.json')) && manifestIn(place).version === version) return place
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version } }))
  const npm = join(dirname(process.execPath), 'npm')
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await promisify(execFile)(existsSync(npm) ? npm : 'npm', words, { cwd: own })
  return place
}

/** Returns a package's name as a file name. */
export function nameOfFile(name: string): string {
  return name.replaceAll('/', '__')
}

/** Returns the command for the Inspector's command line; installs it if needed. */
export async function inspectorLauncher(): Promise<string> {
  return join(await installed(inspectorPackage), inspectorPackage.launcher)
}

function manifestIn(place: string): { version: string; bin: string | Record<string, string> } {
  return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
}

/** Returns the command line of a server with its fake settings; `{folder}` in them is an empty folder. */
async function startOf(server: NpmServer, empty: string): Promise<Start> {
  const { name, bin, args = [], env = {} } = server
  const place = await installed(server)
  const { bin: bins } = manifestIn(place)
  const file = typeof bins === 'string' ? bins : bin ? bins[bin] : Object.values(bins)[0]
  if (!file) throw new Error(`${name} has no program ${bin ?? ''}`)
  const filled = (text: string): string => text.replaceAll('{folder}', empty)
  return {
    words: [process.execPath, join(place, file), ...args.map(filled)],
    env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])),
  }
}

/** Runs one step on a server, in its own home: `wordsOf` turns the server's command line into the arguments of Node. */
export async function stepOn(server: NpmServer, wordsOf: (start: Start) => string[]): Promise<Ended> {
  const home = mkdtempSync(join(tmpdir(), 'npm-server-'))
  try {
    const empty = join(home, 'empty')
    mkdirSync(empty)
    return await runNode(wordsOf(await startOf(server, empty)), empty, environmentIn(home))
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function environmentIn(home: string): NodeJS.ProcessEnv {
  const places = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map(each => [`XDG_${each}_HOME`, join(home, each.toLowerCase())])
  return { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, ...Object.fromEntries(places) }
}

/** Runs work for each of the servers, several at the same time. */
export async function onEach(
  servers: readonly NpmServer[],
  together: number,
  work: (server: NpmServer) => Promise<void>,
): Promise<void> {
  const waiting = [...servers]
  const worker = async (): Promise<void> => {
    for (let server = waiting.shift(); server; server = waiting.shift()) await work(server)
  }
  await Promise.all(Array.from({ length: together }, worker))
}

/** Returns the servers with any of these in their names; all of them by default. */
export function chosen(parts: readonly string[] | undefined): readonly NpmServer[] {
  return npmServers.filter(({ name }) => !parts || parts.some(part => name.includes(part)))
}
