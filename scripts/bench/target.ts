import { setTimeout as delay } from 'node:timers/promises'
import { openTerminal, type Key, type Terminal } from '../../test/pty/terminal.ts'
import { createHome, removeHome } from '../../test/pty/home.ts'
import {
  during,
  exitTime,
  firstPaint,
  hold,
  respond,
  settle,
  type Held,
  type Response,
  type Stretch,
} from './measure.ts'
import { residentMegabytes } from './process.ts'

/** A program to measure, in a list in which a key moves the selection. */
export type Target = {
  name: string
  command: string
  args?: readonly string[]
  /** Fills the empty home, which is also the working folder, before every start. */
  prepare?: (home: string) => void
  /**
   * Arguments of a start before the measured one, which opens the list and is left there; the measured start then has
   * no arguments, and returns to that place.
   */
  before?: readonly string[]
  /** Whether the program has drawn anything of its own; without it, any text counts. */
  painted?: (terminal: Terminal) => boolean
  /** Moves a program that has just started to the list, with the first row selected. */
  toList: (terminal: Terminal) => Promise<void>
  /** Waits until every row is there, if rows still arrive after the list is visible. */
  loaded?: (terminal: Terminal) => Promise<void>
  /** Returns the position of the selected row, from 1, if the screen shows it, and the number of rows. */
  position?: (terminal: Terminal) => number | undefined
  rows?: number
  /** Milliseconds for which the program cleans up after work, before it counts as idle. */
  calm?: number
  next: Key
  previous: Key
  page: Key
  quit: (terminal: Terminal) => void
}

/** The figures of one start of a target; times in milliseconds, memory in megabytes. */
export type Sample = {
  firstPaint: number
  /** From the start until the list is visible and has responded to a first key, including toList's own keys. */
  live: number
  /** From the start until every row is there; NaN if they arrive with the list. */
  loaded: number
  keys: readonly Response[]
  pages: readonly Response[]
  burst: Response
  /** Whether the row selected after the burst is the right one; undefined if the screen does not show it. */
  burstRight: boolean | undefined
  held: Held
  idle: Stretch
  memory: number
  exit: number
}

/** Milliseconds for which an idle program is measured. */
export const idleMilliseconds = 10_000

/** Milliseconds without output before memory is read: memory of the start is freed in the first pause. */
const restMilliseconds = 500

/** Number of presses in the burst. */
const burstLength = 200

/** Starts a target once and takes every measurement. */
export async function sample(target: Target): Promise<Sample> {
  const home = createHome()
  target.prepare?.(home)
  const { command, args = [] } = target
  if (target.before) await startBefore(target, [...args, ...target.before], home)
  const terminal = openTerminal({ command, args, home, cols: 120, rows: 40 })
  try {
    const paint = await firstPaint(terminal, target.painted)
    await target.toList(terminal)
    const live = await untilAnswered(terminal, target)
    terminal.press(target.previous)
    await target.loaded?.(terminal)
    const loaded = target.loaded ? performance.now() - terminal.startedAt : Number.NaN
    await settle(terminal)
    await delay(restMilliseconds)
    const memory = residentMegabytes(terminal.pid)
    const measured = await measureList(terminal, target)
    if (target.calm) await delay(target.calm)
    const idle = await during(terminal, idleMilliseconds)
    const exit = await exitTime(terminal, () => target.quit(terminal))
    return { firstPaint: paint, live, loaded, ...measured, idle, memory, exit }
  } finally {
    await terminal.close()
    removeHome(home)
  }
}

/** Returns the milliseconds from the start until a first key has moved the selection. */
async function untilAnswered(terminal: Terminal, { next, position }: Target): Promise<number> {
  const from = position?.(terminal)
  if (from === undefined) {
    const asked = performance.now() - terminal.startedAt
    return asked + (await respond(terminal, () => terminal.press(next))).first
  }
  terminal.press(next)
  await terminal.waitFor(() => (position?.(terminal) ?? from) !== from)
  return performance.now() - terminal.startedAt
}

async function startBefore(target: Target, args: readonly string[], home: string): Promise<void> {
  await using terminal = openTerminal({ command: target.command, args, home, cols: 120, rows: 40 })
  await target.toList(terminal)
  await target.loaded?.(terminal)
  await settle(terminal)
  target.quit(terminal)
  await terminal.waitForExit()
}

async function measureList(terminal: Terminal, target: Target) {
  const { next, previous, page, position, rows = Number.POSITIVE_INFINITY } = target
  const press = (key: Key) => respond(terminal, () => terminal.press(key))
  for (const key of [next, next, previous, previous]) await press(key)
  const keys: Response[] = []
  // Forward and back, so that a short list never ends during the measurement.
  for (const key of [next, previous, next, previous]) for (let i = 0; i < 10; i += 1) keys.push(await press(key))
  const pages: Response[] = []
  for (let i = 0; i < 5; i += 1) pages.push(await press(page))
  const from = position?.(terminal)
  const burst = await respond(terminal, () => terminal.press(...Array<Key>(burstLength).fill(next)))
  const to = position?.(terminal)
  const burstRight = from === undefined || to === undefined ? undefined : to === Math.min(from + burstLength, rows)
  const held = await hold(terminal, index => terminal.press(index % 20 < 10 ? previous : next), {
    perSecond: 30,
    seconds: 2,
  })
  await settle(terminal)
  return { keys, pages, burst, burstRight, held }
}

/** Returns the milliseconds of a Node that does nothing, in the same kind of terminal: the unit of start times. */
export async function bareNode(): Promise<number> {
  await using terminal = openTerminal({ command: process.execPath, args: ['-e', '0'] })
  await terminal.waitForExit()
  return performance.now() - terminal.startedAt
}
