import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestReport } from '../../test/closing-line.ts'
import type { Checkout } from './tests.ts'

const ZONE = 'Asia/Kolkata'
/** Path of the library in Debian's package. */
const LIBRARIES = ['x86_64', 'aarch64'].map(machine => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)

/**
 * Opens a second checkout of the current commit, in a folder with a space and an umlaut in its name. Programs there run
 * in another time zone, with the plain locale, two minutes before the end of a year. It is the end of the last year,
 * since the library moves the clock but not the times of files, and a program treats files from more than a month ago
 * as old.
 */
export function openOddPlace(root: string): Checkout & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck prüfung '))
  const cwd = join(folder, 'mcpdeck für alle')
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, cwd])
  cpSync(join(root, 'node_modules'), join(cwd, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  const env = { ...process.env, TZ: ZONE, LANG: 'C', LC_ALL: 'C', ...clockEnv(new Date()) }
  const title = 'odd path, zone, locale and clock'
  return { cwd, env, title, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Returns an environment in which the clock of all programs is behind by the same time. */
function clockEnv(now: Date): Record<string, string> {
  const library = LIBRARIES.find(existsSync)
  if (library === undefined) throw new Error('libfaketime is missing; .ci/run installs it')
  // Kolkata has no daylight saving time.
  const end = Date.parse(`${now.getUTCFullYear() - 1}-12-31T23:58:00+05:30`)
  return {
    LD_PRELOAD: library,
    FAKETIME: `${Math.round((end - now.getTime()) / 1000)}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_NO_CACHE: '1',
  }
}

/** Files that take longer would use up most of the time of a sample. */
const MOST_MS = 15_000

/** Returns files with at least this many tests together; a different selection for each commit. */
export function sampleOf({ files }: TestReport, commit: string, tests: number): string[] {
  const order = (file: string) => createHash('sha256').update(`${commit} ${file}`).digest('hex')
  const fit = files.filter(({ ms }) => ms < MOST_MS)
  const short = fit.toSorted((a, b) => (order(a.file) < order(b.file) ? -1 : 1))
  const chosen: string[] = []
  let count = 0
  for (const { file, tests: more } of short) {
    if (count >= tests) break
    chosen.push(file)
    count += more
  }
  return chosen
}
