import { setTimeout as delay } from 'node:timers/promises'
import { openTerminal, type Terminal } from '../../test/pty/terminal.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { launched } from './live.ts'
import { during, type Stretch } from './measure.ts'
import { cpuMilliseconds, residentMegabytes } from './process.ts'
import { dataOf, startOn, type Build } from './program.ts'
import { number, percent, table } from './report.ts'
import { startServe } from './serve.ts'
import { iterations, type PreparedWorkspaces } from './workspaces.ts'

/** The screens that can be left open, in the order of the keys that open them. */
const SCREENS = ['now', 'projects', 'servers', 'runs', 'findings', 'scenarios', 'swarms', 'notebook'] as const
/** The source of the data, and whether a run is in flight. */
const SETTINGS = ['local', 'remote', 'local live', 'remote live'] as const

/** Duration of the measurement at the end, in milliseconds. */
const LAST_MS = 60_000
/**
 * Maximum growth of memory, in megabytes, from a minute after the start to the end that counts as flat: V8 collects
 * garbage at any time.
 */
const FLAT = 5
/** The name of the thread in which runs are executed. */
const RUNS_THREAD = 'runs'
/** Maximum share of a core, from 0 to 1, for a screen without input. */
const MOST_CORE = 0.002

export type IdleSample = {
  screen: string
  setting: string
  last: Stretch
  /** Share of a core, from 0 to 1, of the thread that executes runs, whatever screen is open. */
  executing: number
  memory: { first: number; last: number }
}

/** Returns the wanted names; all of them by default. */
function chosen<T extends string>(all: readonly T[], wanted: readonly string[]): readonly T[] {
  return wanted.length === 0 ? all : all.filter(each => wanted.includes(each))
}

/** Leaves screens open without input, those of one setting at the same time, and measures the last minute of each. */
export async function measureIdle(
  build: Build,
  workspaces: PreparedWorkspaces,
  wanted: { screens: readonly string[]; settings: readonly string[]; minutes: number },
): Promise<IdleSample[]> {
  const samples: IdleSample[] = []
  for (const setting of chosen(SETTINGS, wanted.settings)) {
    process.stderr.write(`idle: ${setting}, ${wanted.minutes} minutes\n`)
    const ofSetting = chosen(SCREENS, wanted.screens).map(async screen => {
      const figures = await leaveOpen(build, workspaces, { screen, setting, minutes: wanted.minutes })
      return { screen, setting, ...figures }
    })
    samples.push(...(await Promise.all(ofSetting)))
  }
  return samples
}

async function leaveOpen(
  build: Build,
  workspaces: PreparedWorkspaces,
  { screen, setting, minutes }: { screen: (typeof SCREENS)[number]; setting: string; minutes: number },
): Promise<Omit<IdleSample, 'screen' | 'setting'>> {
  await using ends = new AsyncDisposableStack()
  const serve = async (home: string): Promise<Record<string, string>> => {
    if (setting.startsWith('local')) return {}
    const { baseUrl, key } = ends.use(await startServe(build, dataOf(home)))
    return { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: key }
  }
  const watch = async (terminal: Terminal) => {
    terminal.type(String(SCREENS.indexOf(screen) + 1))
    await delay(LAST_MS)
    const first = residentMegabytes(terminal.pid)
    await delay(Math.max(0, minutes * 60_000 - 2 * LAST_MS))
    const executed = cpuMilliseconds(terminal.pid, RUNS_THREAD)
    const last = await during(terminal, LAST_MS)
    const executing = (cpuMilliseconds(terminal.pid, RUNS_THREAD) - executed) / LAST_MS
    return { last, executing, memory: { first, last: residentMegabytes(terminal.pid) } }
  }
  if (setting.endsWith('live')) return await launched(build, workspaces.lasting, iterations, watch, serve)
  const home = createHome()
  ends.defer(() => removeHome(home))
  const { command, args, prepare } = startOn(build, workspaces.rested)
  prepare(home)
  const env = await serve(home)
  await using terminal = openTerminal({ command, args: args.slice(0, 1), home, env })
  await terminal.waitFor('Projects')
  return await watch(terminal)
}

/** Whether a screen met the goal. With a run in flight, progress is drawn; without one, nothing may be written. */
function isMet({ setting, last, memory }: IdleSample): boolean {
  const isQuiet = setting.endsWith('live') || last.bytes === 0
  return isQuiet && last.core <= MOST_CORE && memory.last - memory.first <= FLAT
}

/**
 * Returns a row for each setting, with the highest figures of its screens and the names of those that miss the goal.
 */
export function idleTable(samples: readonly IdleSample[]): string {
  const settings = [...new Set(samples.map(({ setting }) => setting))]
  return table(
    ['setting', 'screens', 'last minute, at most: bytes, core', 'of that executing', 'memory', 'goal missed by'],
    settings.map(setting => {
      const own = samples.filter(sample => sample.setting === setting)
      const most = (of: (sample: IdleSample) => number): number => Math.max(...own.map(of))
      const least = Math.min(...own.map(({ memory }) => memory.last))
      const missed = own.filter(sample => !isMet(sample)).map(({ screen }) => screen)
      return [
        setting,
        String(own.length),
        `${most(({ last }) => last.bytes)}, ${percent(most(({ last }) => last.core))}`,
        percent(most(({ executing }) => executing)),
        `${number(least)} to ${number(most(({ memory }) => memory.last))} MB`,
        missed.length === 0 ? 'none' : `**${missed.join(', ')}**`,
      ]
    }),
  )
}
