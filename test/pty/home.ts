import { cpSync, mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty home directory in the system's temporary folder. */
export function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'mcpdeck-home-'))
  for (const [, folder] of xdgFolders(home)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  return home
}

/** Names a home in which the local workspace has been made; see `built-program.ts`. */
export const SHARED_USED_HOME = 'MCPDECK_TESTS_USED_HOME'

/** Where programs keep their data in a home. */
const DATA = '.local/share'

/**
 * A home with a local workspace and its samples, as a first start leaves them. Making them takes a third of a short
 * visit, so whoever does not test a first start begins here.
 */
export function createUsedHome(): string {
  const home = createHome()
  cpSync(join(process.env[SHARED_USED_HOME]!, DATA), join(home, DATA), { recursive: true })
  return home
}

/** Removes a home and all that the program left in it. */
export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

/** Names the directory where the programs of one test run share what Node compiled; see `built-program.ts`. */
export const SHARED_COMPILED = 'MCPDECK_TESTS_COMPILED'

/**
 * The environment of a fresh account: nothing of the caller's but PATH and the folder of compiled code, so that a test
 * cannot depend on the machine it runs on (CI, NO_COLOR, tokens, editors).
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
    // Nothing listens there, whatever this machine serves on the usual port.
    MCPDECK_PORT: String(UNUSED_PORT),
    ...Object.fromEntries(xdgFolders(home)),
  }
}

/** The folder, the zone and the clock of a run of tests, which all its programs have; see `scripts/ci/odd-place.ts`. */
export const PASSED_ON = [
  'TMPDIR',
  'TZ',
  'LD_PRELOAD',
  'FAKETIME',
  'FAKETIME_DONT_FAKE_MONOTONIC',
  'FAKETIME_NO_CACHE',
  // The library sets it for the programs that a program starts.
  'FAKETIME_SHARED',
]

/** A port that no program of a machine uses (IANA: compressnet). */
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
