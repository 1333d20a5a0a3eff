import { setTimeout as delay } from 'node:timers/promises'
import { openTerminal, type Key, type Terminal } from '../../test/pty/terminal.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { during, settle, type Stretch } from './measure.ts'
import { residentMegabytes } from './process.ts'
import { nameOf, startOn, trialsTab, type Build } from './program.ts'
import { idleMilliseconds } from './target.ts'
import { iterations, type PreparedWorkspace, type PreparedWorkspaces } from './workspaces.ts'

/** Maximum number of keys pressed while a run executes, and milliseconds between two. */
const [presses, pause] = [100, 100]

/**
 * Number of runs executed in a round: one lasts some seconds, in which a twentieth of its keys is only two or three.
 */
const executions = 3

/** Matches the header once it shows the end of the followed run. */
const ended = /#2 ✗ failed/

/** The cost of a run in flight while it is on the screen. */
export type LiveSample = {
  /** The first ten seconds on the screen, in which V8 collects garbage of the launch. */
  launching: Stretch
  /** The next ten seconds of the same run, whose only trial waits for its server: only polling and progress. */
  waiting: Stretch
  /** Milliseconds from key to paint while the program itself executes 1,000 cases ten times each. */
  executing: readonly number[]
  /** Resident memory during the run, in megabytes: once its trials are visible, and the maximum until its end. */
  memory: { first: number; most: number }
}

/** Returns the name of a build in the table of live runs. */
export function liveName(build: Build): string {
  return nameOf(build, 'a run in flight')
}

/** Launches both kinds of run from the keyboard and measures while they are in flight. */
export async function sampleLive(build: Build, workspaces: PreparedWorkspaces): Promise<LiveSample> {
  const unended = await launched(build, workspaces.waiting, 1, async terminal => ({
    launching: await during(terminal, idleMilliseconds),
    waiting: await during(terminal, idleMilliseconds),
  }))
  const runs: Omit<LiveSample, 'launching' | 'waiting'>[] = []
  while (runs.length < executions) runs.push(await launched(build, workspaces.large, iterations, pressKeysUntilTheEnd))
  const memory = {
    first: Math.max(...runs.map(run => run.memory.first)),
    most: Math.max(...runs.map(run => run.memory.most)),
  }
  return { ...unended, executing: runs.flatMap(run => run.executing), memory }
}

/** Presses keys as soon as the run is on the screen, and stays until it has ended. */
async function pressKeysUntilTheEnd(terminal: Terminal): Promise<Omit<LiveSample, 'launching' | 'waiting'>> {
  const first = residentMegabytes(terminal.pid)
  let most = first
  const watch = setInterval(() => (most = Math.max(most, residentMegabytes(terminal.pid))), 250)
  try {
    const executing = await pressKeys(terminal)
    await terminal.waitFor(ended, 300_000)
    return { executing, memory: { first, most } }
  } finally {
    clearInterval(watch)
  }
}

/** Presses keys steadily, waiting after each until another trial is selected: rows also change by themselves here. */
async function pressKeys(terminal: Terminal): Promise<number[]> {
  const answers: number[] = []
  const started = performance.now()
  for (let i = 0; i < presses && !ended.test(terminal.screen()); i += 1) {
    await delay(Math.max(0, started + i * pause - performance.now()))
    answers.push(await selectionTime(terminal, i % 20 < 10 ? 'down' : 'up'))
  }
  return answers
}

async function selectionTime(terminal: Terminal, key: Key): Promise<number> {
  const before = selectedTitle(terminal)
  const { promise, resolve } = Promise.withResolvers<number>()
  terminal.onOutput = ({ at }) => {
    if (selectedTitle(terminal) !== before) resolve(at)
  }
  const sent = performance.now()
  terminal.press(key)
  const answered = await Promise.race([promise, delay(1000, Number.NaN)])
  terminal.onOutput = undefined
  return answered - sent
}

function selectedTitle(terminal: Terminal): string | undefined {
  return /▌. [a-z]+ +(Echo answers greeting \d+ +\d+)/.exec(terminal.screen())?.[1]
}

/**
 * Starts the dashboard on a suite, launches it, and measures once its run is on the screen. `serve` may start a
 * service, and returns the environment variables with which the program finds it.
 */
export async function launched<T>(
  build: Build,
  workspace: PreparedWorkspace,
  times: number,
  measure: (terminal: Terminal) => Promise<T>,
  serve?: (home: string) => Promise<Record<string, string>>,
): Promise<T> {
  const home = createHome()
  const { command, args, prepare } = startOn(build, workspace)
  prepare(home)
  // The suite's own place: the launched run opens by itself.
  const place = args.map(argument => argument.replace(/\/run_[^?]*\?.*/, ''))
  const env = await serve?.(home)
  const terminal = openTerminal({ command, args: place, home, ...(env && { env }), cols: 120, rows: 40 })
  try {
    await terminal.waitFor('Measured')
    await settle(terminal)
    terminal.type('E')
    await terminal.waitFor('▌ As configured')
    if (times > 1) {
      terminal.press('down', 'down', 'down')
      await terminal.waitFor('▌ Iterations')
      terminal.type(String(times))
    }
    const trials = workspace.cases * times
    await terminal.waitFor(`= ${trials.toLocaleString('en')} trial`)
    // Ctrl+S sends the form.
    terminal.type('\u0013')
    await terminal.waitFor(/▌. [a-z]+ +(?:Waits|Echo)/, 30_000)
    await terminal.waitFor(trialsTab(trials), 60_000)
    return await measure(terminal)
  } finally {
    await terminal.close()
    removeHome(home)
  }
}
