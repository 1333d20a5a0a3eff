import { setTimeout as delay } from 'node:timers/promises'
import { openTerminal, type Key, type Terminal } from '../../test/pty/terminal.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { during, settle, type Stretch } from './measure.ts'
import { nameOf, startOn, type Build } from './program.ts'
import { idleMilliseconds } from './target.ts'
import type { PreparedWorkspace, PreparedWorkspaces } from './workspaces.ts'

/** Keys pressed while a run executes, and milliseconds from one to the next. */
const [presses, pause] = [40, 50]

/** What a run in flight costs while it is on the screen. */
export type LiveSample = {
  /** A run whose only trial waits for its server: nothing but polling and progress. */
  waiting: Stretch
  /** Milliseconds from key to paint while the program itself executes a run of 1,000 cases. */
  executing: readonly number[]
}

/** The name of a build in the table of live runs. */
export function liveName(build: Build): string {
  return nameOf(build, 'a run in flight')
}

/** Launches both kinds of run from the keyboard and measures while they are in flight. */
export async function sampleLive(build: Build, workspaces: PreparedWorkspaces): Promise<LiveSample> {
  const waiting = await launched(build, workspaces.waiting, terminal => during(terminal, idleMilliseconds))
  const executing = await launched(build, workspaces.large, pressKeys)
  return { waiting, executing }
}

/** Steady presses, each followed until another trial is the selected one: rows also change by themselves here. */
async function pressKeys(terminal: Terminal): Promise<number[]> {
  const answers: number[] = []
  const started = performance.now()
  for (let i = 0; i < presses; i += 1) {
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
  return /▌. [a-z]+ +(Echo answers greeting \d+)/.exec(terminal.screen())?.[1]
}

/** Starts the dashboard on a suite, launches it, and measures once its run is on the screen. */
async function launched<T>(
  build: Build,
  workspace: PreparedWorkspace,
  measure: (terminal: Terminal) => Promise<T>,
): Promise<T> {
  const home = createHome()
  const { command, args, prepare } = startOn(build, workspace)
  prepare(home)
  // The suite's own place: the run that is launched opens by itself.
  const place = args.map(argument => argument.replace(/\/run_[^?]*\?.*/, ''))
  const terminal = openTerminal({ command, args: place, home, cols: 120, rows: 40 })
  try {
    await terminal.waitFor('Measured')
    await settle(terminal)
    terminal.type('n')
    await terminal.waitFor('▌ As configured')
    terminal.press('enter')
    await terminal.waitFor(/▌ Launch [\d,]+ trials/)
    terminal.press('enter')
    await terminal.waitFor(/▌. running +(?:Waits|Echo)/, 30_000)
    await terminal.waitFor(`Trials ${workspace.cases}]`)
    return await measure(terminal)
  } finally {
    await terminal.close()
    removeHome(home)
  }
}
