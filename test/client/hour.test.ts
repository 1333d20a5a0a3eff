import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Budget } from '../../src/api/client/budget/budget.ts'
import { livePause } from '../../src/domain/polling/cadence.ts'
import type { Priority } from '../../src/api/client/budget/waiting-queue.ts'
import { exactServer } from './exact-server.ts'
import { VirtualClock } from './virtual-clock.ts'
import { virtualMachine } from './virtual-machine.ts'

const HOUR_MS = 3_600_000
const REQUESTS_OF_A_RUN = 2
const LIST_INTERVAL_MS = 60_000
/** Data on screen is never older than its polling interval plus this time. */
const SLACK_MS = 5_000
/** Longest wait of a person for a requested read, in 99 of 100 cases. */
const PATIENCE_MS = 2_000

/** Random numbers in a range, the same in every run. */
function numbers(seed: number, min: number, max: number): () => number {
  const drawn = fc.sample(fc.noBias(fc.integer({ min, max })), { seed, numRuns: 20_000 })
  let next = 0
  return () => drawn[(next += 1) % drawn.length] ?? min
}

/** The service as seen by one key over a connection of changing speed. */
function service(clock: VirtualClock, seed: number) {
  const limit = exactServer(10, 1, clock.now())
  const delay = numbers(seed, 20, 250)
  const pass = () => new Promise<void>(resolve => clock.after(delay(), resolve))
  return {
    limit,
    /** Resolves to the time at which the content of the answer was made. */
    async send(budget: Budget, priority: Priority, owner: string): Promise<number> {
      const permit = await budget.acquire({ priority, owner })
      await pass()
      const at = clock.now()
      const passed = limit.arrive(at)
      await pass()
      if (passed) permit.release()
      else permit.limited(1_000)
      return at
    },
  }
}

/** Mean pause between two clicks, and the maximum number of reads of one click. */
type Clicks = { pauseMs: number; requests: number }

/** An hour at the screen with three live runs and five lists, and two more processes with a live run each. */
async function hour(seed: number, clicks: Clicks) {
  const clock = new VirtualClock()
  const machine = virtualMachine(clock)
  const { limit, send } = service(clock, seed)
  const end = clock.now() + HOUR_MS
  const wait = (ms: number) => new Promise<void>(resolve => clock.after(ms, resolve))
  const opened = numbers(seed + 3, 0, 60_000)
  const overdue: number[] = []
  const answers: number[] = []
  const show = async (budget: Budget, owner: string, requests: number, interval: () => number) => {
    let [shown, due]: (number | undefined)[] = []
    await wait(opened())
    while (clock.now() < end) {
      const times = Array.from({ length: requests }, () => send(budget, 'visible', owner))
      const from = Math.min(...(await Promise.all(times)))
      if (shown !== undefined && due !== undefined) overdue.push(clock.now() - shown - due)
      shown = from
      due = interval()
      await wait(due)
    }
  }
  const showRun = async (budget: Budget, owner: string) => {
    const stop = budget.startPolling()
    await show(budget, owner, REQUESTS_OF_A_RUN, () => {
      return livePause(budget.snapshot(), REQUESTS_OF_A_RUN)
    })
    stop()
  }
  const person = async (budget: Budget) => {
    const [pause, requests] = [numbers(seed + 1, 200, 2 * clicks.pauseMs), numbers(seed + 2, 1, clicks.requests)]
    while (clock.now() < end) {
      await wait(pause())
      const start = clock.now()
      const sent = Array.from({ length: requests() }, () => send(budget, 'foreground', 'person'))
      void Promise.all(sent).then(() => answers.push(clock.now() - start))
    }
  }
  const [screen, ...others] = [1, 2, 3].map(() => machine.start().budget)
  const work = [
    ...[1, 2, 3].map(run => showRun(screen!, `run ${run}`)),
    ...[1, 2, 3, 4, 5].map(list => show(screen!, `list ${list}`, 1, () => LIST_INTERVAL_MS)),
    ...others.map(budget => showRun(budget, 'run')),
    person(screen!),
  ]
  await clock.finish(Promise.all(work))
  await clock.advance(10_000)
  const slowed = screen!.snapshot().slowed
  machine.remove()
  return { refused: limit.refused, slowed, overdue, answers, left: clock.pending }
}

/** Returns the value that the given share of all values does not exceed. */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

test.each([
  { seed: 1, pauseMs: 15_000, requests: 2 },
  { seed: 2, pauseMs: 15_000, requests: 2 },
  { seed: 3, pauseMs: 20_000, requests: 3 },
])(
  'an hour passes without a 429 or outdated data, with clicks at random times ($seed)',
  async ({ seed, ...clicks }) => {
    const { refused, slowed, overdue, answers, left } = await hour(seed, clicks)
    expect({ refused, slowed, left }).toEqual({ refused: 0, slowed: false, left: 0 })
    expect(Math.max(...overdue)).toBeLessThanOrEqual(SLACK_MS)
    expect(quantile(answers, 0.99)).toBeLessThanOrEqual(PATIENCE_MS)
  },
)
