import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { type Budget, createBudget } from '../../src/api/client/budget/budget.ts'
import { defaultRetryRule, withRetry } from '../../src/api/client/transport/retry.ts'
import type { Priority } from '../../src/api/client/budget/waiting-queue.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { livePause } from '../../src/domain/polling/cadence.ts'
import { exactServer } from './exact-server.ts'
import { VirtualClock } from './virtual-clock.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const COUNTED_MINUTES = 59
const RETRY_AFTER_MS = 1_000
const LISTS = 4
const LIST_EVERY_MS = 50_000
const LIVE_RUNS = 2
const REQUESTS_OF_A_RUN = 2
const CLICK_EVERY_MS = 20_000

/** Result of an hour after its first minute. */
export type Hour = {
  answered: number
  refused: number
  /** Refusals of the first minute. */
  atFirst: number
  /** Answers of the machine that got the fewest, as a fraction of its fair share of the service's rate. */
  least: number
}

/**
 * An hour of machines that use one key at the contract's limits and know nothing of each other. Each shows two live
 * runs and four lists, and has a person who requests something every twenty seconds.
 */
export async function simulateMachines(machines: number, seed = 1): Promise<Hour> {
  const clock = new VirtualClock()
  const server = exactServer(10, 1, clock.now())
  const [start, end] = [clock.now(), clock.now() + HOUR_MS]
  const answered = Array.from({ length: machines }, () => 0)
  let atFirst = 0
  const wait = (ms: number) => new Promise<void>(resolve => clock.after(ms, resolve))
  const isCounted = () => clock.now() - start >= MINUTE_MS
  const machine = async (index: number) => {
    const random = randomOf(seed * 1_000 + index)
    const budget = createBudget({ clock, random })
    const attempt = async (priority: Priority, owner: string) => {
      const permit = await budget.acquire({ priority, owner })
      await wait(20 + 100 * random())
      const passed = server.arrive(clock.now())
      if (!isCounted()) atFirst = server.refused
      await wait(20 + 100 * random())
      if (!passed) permit.limited(RETRY_AFTER_MS)
      else if (isCounted()) answered[index]! += 1
      permit.release()
      if (!passed) throw refusedForRate()
    }
    const send = async (priority: Priority, owner: string) => {
      const options = { endpoint: contract.account.me, repeatable: true, rule: defaultRetryRule, clock, random }
      await withRetry(() => attempt(priority, owner), options).catch(() => undefined)
    }
    const repeat = async (requests: number, priority: Priority, owner: string, pause: () => number) => {
      await wait(pause() * random())
      while (clock.now() < end) {
        await Promise.all(Array.from({ length: requests }, () => send(priority, owner)))
        await wait(pause())
      }
    }
    const liveRun = async (owner: string) => {
      const stop = budget.startPolling()
      await repeat(REQUESTS_OF_A_RUN, 'visible', owner, () => pauseOf(budget))
      stop()
    }
    await Promise.all([
      ...Array.from({ length: LIVE_RUNS }, (_, run) => liveRun(`run ${run}`)),
      ...Array.from({ length: LISTS }, (_, list) => repeat(1, 'visible', `list ${list}`, () => LIST_EVERY_MS)),
      repeat(1, 'foreground', 'person', () => 2 * CLICK_EVERY_MS * random()),
    ])
  }
  await clock.finish(Promise.all(answered.map((_, index) => machine(index))))
  return {
    answered: answered.reduce((sum, count) => sum + count),
    refused: server.refused - atFirst,
    atFirst,
    least: (Math.min(...answered) * machines) / (COUNTED_MINUTES * 60),
  }
}

function pauseOf(budget: Budget): number {
  return livePause(budget.snapshot(), REQUESTS_OF_A_RUN)
}

function refusedForRate(): ApiError {
  const limit = { status: 429, code: 'RATE_LIMITED', limit: 'key-rate', retryAfterMs: RETRY_AFTER_MS } as const
  return new ApiError({ kind: 'http', message: '', sent: true, ...limit })
}

/** Random numbers from 0 to 1, the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
