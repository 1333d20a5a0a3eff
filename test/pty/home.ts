import { cpSync, mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates an empty home directory in the system's temporary folder. */
export function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'mcpdeck-home-'))
  for (const [, folder] of xdgFolders(home)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  return home
}

/** Name of the variable with a home whose local workspace has been created; see `built-program.ts`. */
export const SHARED_USED_HOME = 'MCPDECK_TESTS_USED_HOME'

/** Where programs store their data in a home. */
const DATA = '.local/share'

/**
 * Creates a home with a local workspace and its samples, as after a first start. Creating them takes a third of a short
 * visit, so every test that is not about a first start uses this.
 */
export function createUsedHome(): string {
  const home = createHome()
  cpSync(join(process.env[SHARED_USED_HOME]!, DATA), join(home, DATA), { recursive: true })
  return home
}

/** Removes a home and everything that the program left in it. */
export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Name of the variable with the directory where the programs of one test run share the code compiled by Node; see
 * `built-program.ts`.
 */
export const SHARED_COMPILED = 'MCPDECK_TESTS_COMPILED'

/**
 * The environment of a new account. It has only PATH and the folder of compiled code from the caller, so that a test
 * cannot depend on its machine (CI, NO_COLOR, tokens, editors).
 */
export function minimalEnv(home: string): Record<string, string> {
  const compiled = process.env[SHARED_COMPILED]
  return {
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
    ...Object.fromEntries(
      PASSED_ON.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    HOME: home,
    // Nothing listens on this port, whatever this machine serves on the usual one.
    MCPDECK_PORT: String(UNUSED_PORT),
    ...Object.fromEntries(xdgFolders(home)),
  }
}

/**
 * The folder, the time zone and the clock of a test run, which all its programs share; see `scripts/ci/odd-place.ts`.
 */
export const PASSED_ON = [
  'TMPDIR',
  'TZ',
  'LD_PRELOAD',
  'FAKETIME',
  'FAKETIME_DONT_FAKE_MONOTONIC',
  'FAKETIME_NO_CACHE',
  // The library sets this for programs that are started by the program.
  'FAKETIME_SHARED',
]

/** A port that no program uses (IANA: compressnet). */
export const UNUSED_PORT = 2

function xdgFolders(home: string): [name: string, folder: string][] {
  return [
    ['XDG_CONFIG_HOME', join(home, '.config')],
    ['XDG_DATA_HOME', join(home, DATA)],
    ['XDG_STATE_HOME', join(home, '.local/state')],
    ['XDG_CACHE_HOME', join(home, '.cache')],
    ['XDG_RUNTIME_DIR', join(home, '.runtime')],
  ]
}
