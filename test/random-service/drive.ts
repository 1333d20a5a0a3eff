import { readdirSync, readFileSync } from 'node:fs'
import { residentMegabytes } from '../../scripts/bench/process.ts'
import { STUCK_SENTENCE } from '../../src/tui/terminal/watchdog.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import type { OpenApi } from '../contract/openapi.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { pressKey, randomKeys, rested } from './keys.ts'
import { openRandomService } from './service.ts'
import { NONSENSE } from './values.ts'
import { untilNextLook } from '../pause.ts'

/**
 * Milliseconds that a dashboard may take to render at a new size. A longer time counts as frozen, also on a busy
 * machine.
 */
const ANSWERS_WITHIN_MS = 30_000
/** Maximum resident memory of the dashboard for any documented answers, in megabytes. */
const MOST_MEMORY = 400
const KEYS_BETWEEN_CHECKS = 10
const SIZES = [
  [120, 40],
  [80, 24],
  [160, 50],
  [61, 16],
] as const

/**
 * Describes each thread of a process: its state, where it waits in the kernel, and its processor time within a second.
 */
async function stateOf(pid: number): Promise<string> {
  const threads = () =>
    readdirSync(`/proc/${pid}/task`).map(id => {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      const waits = readFileSync(`/proc/${pid}/task/${id}/wchan`, 'utf8')
      return { id, state: stat[0], ticks: Number(stat[11]) + Number(stat[12]), waits }
    })
  const first = new Map(threads().map(({ id, ticks }) => [id, ticks]))
  await untilNextLook(1_000)
  return threads()
    .map(({ id, state, ticks, waits }) => `${id} ${state} ${waits} +${ticks - (first.get(id) ?? 0)}`)
    .join(', ')
}

export type Drive = {
  document: OpenApi
  seed: number
  /** Whether to end the drive after this number of keys. */
  until: (keys: number) => boolean
  onCheck?: (facts: {
    keys: number
    requests: number
    /** The operations that were called. */
    operations: ReadonlySet<string>
    /** Resident memory in megabytes. */
    memory: number
    starts: number
  }) => void
}

/**
 * Presses random keys in the built dashboard on a service with random answers of the documented shapes.
 * @throws with seed, last keys and screen, if it freezes, crashes, shows nonsense, or uses too much memory
 */
export async function driveDashboard({ document, seed, until, onCheck }: Drive): Promise<void> {
  await using service = await openRandomService(document, seed)
  const home = createHome()
  const pressed: string[] = []
  let starts = 0
  const start = async (): Promise<Terminal> => {
    starts += 1
    const env = { ...service.env, EDITOR: 'true', VISUAL: 'true' }
    const terminal = openTerminal({ isPlain: true, env, home, cols: 120, rows: 40 })
    await terminal.waitFor('Projects', ANSWERS_WITHIN_MS)
    return terminal
  }
  let terminal = await start()
  const fail = (what: string): never => {
    throw new Error(
      `${what}\nseed ${seed}, after ${pressed.length} keys: ${pressed.slice(-60).join(' ')}\n${terminal.screen()}`,
    )
  }
  const check = async (): Promise<void> => {
    if (terminal.exit) {
      const { code, signal } = terminal.exit
      // The palette offers Ctrl+C's action too, so its exit code is allowed like any other; the watchdog ends with the
      // same one.
      const isOrderly = signal === undefined && (code === 0 || code === EXIT.interrupted)
      if (!isOrderly || terminal.screen().includes(STUCK_SENTENCE)) fail(`ended with ${JSON.stringify(terminal.exit)}`)
      await terminal.close()
      terminal = await start()
      return
    }
    const found = NONSENSE.exec(terminal.screen())
    if (found) fail(`says ${found[0]}`)
    const memory = residentMegabytes(terminal.pid)
    if (memory > MOST_MEMORY) fail(`has ${Math.round(memory)} MB`)
    const [cols, rows] = SIZES[(pressed.length / KEYS_BETWEEN_CHECKS) % SIZES.length]!
    const before = terminal.bytes
    terminal.resize(cols, rows)
    try {
      await terminal.waitFor(shown => shown.bytes > before || shown.exit !== undefined, ANSWERS_WITHIN_MS)
    } catch {
      const state = await stateOf(terminal.pid)
      const painted = await terminal
        .waitFor(shown => shown.bytes > before, ANSWERS_WITHIN_MS)
        .then(
          () => 'painted later',
          () => 'painted nothing for as long again',
        )
      fail(`is frozen: ${state}; ${painted}`)
    }
    const [requests, operations] = [service.answered(), service.operations()]
    onCheck?.({ keys: pressed.length, requests, operations, memory, starts })
  }
  try {
    for (const next of randomKeys(seed)) {
      pressed.push(next)
      pressKey(terminal, next)
      await rested(terminal)
      if (pressed.length % KEYS_BETWEEN_CHECKS !== 0) continue
      await check()
      if (until(pressed.length)) break
    }
  } finally {
    await terminal.close()
    removeHome(home)
  }
}
