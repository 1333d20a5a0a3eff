import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Budget, Permit } from '../../src/api/client/budget/budget.ts'
import { budgetKeyId, LEASE_MS } from '../../src/api/client/budget/shared-ledger.ts'
import type { Priority } from '../../src/api/client/budget/waiting-queue.ts'
import { exactServer } from './exact-server.ts'
import { VirtualClock } from './virtual-clock.ts'
import { virtualMachine } from './virtual-machine.ts'

let clock: VirtualClock
let machine: ReturnType<typeof virtualMachine>

beforeEach(() => {
  clock = new VirtualClock()
  machine = virtualMachine(clock)
})

afterEach(() => machine.remove())

async function take(budget: Budget, count: number): Promise<Permit[]> {
  return await Promise.all(Array.from({ length: count }, () => budget.acquire({ priority: 'foreground' })))
}

async function drain(budget: Budget): Promise<void> {
  for (const permit of await take(budget, 10)) permit.release()
}

async function askAndEnd(budget: Budget, priority: Priority): Promise<void> {
  const permit = await budget.acquire({ priority })
  permit.release()
}

const after = (ms: number) => new Promise<void>(resolve => clock.after(ms, resolve))

describe('several processes with one budget', () => {
  const delay = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 12_000 }))
  const request = fc.record({
    process: fc.nat(2),
    startAfter: fc.integer({ min: 0, max: 3_000 }),
    there: delay,
    back: delay,
    priority: fc.constantFrom<Priority>('foreground', 'visible', 'pinned', 'background'),
  })
  const rule = fc.record({ capacity: fc.integer({ min: 1, max: 12 }), refillPerSecond: fc.constantFrom(0.5, 1, 3) })

  test('never send what the service would refuse, and all are served', async () => {
    const requests = fc.array(request, { minLength: 1, maxLength: 40 })
    const property = fc.asyncProperty(rule, requests, async (bucket, all) => {
      const time = new VirtualClock()
      const own = virtualMachine(time)
      const processes = [0, 1, 2].map(() => own.start(bucket).budget)
      const server = exactServer(bucket.capacity, bucket.refillPerSecond, time.now())
      const pass = (ms: number) => new Promise<void>(resolve => time.after(ms, resolve))
      let start = 0
      const calls = all.map(async ({ process, startAfter, there, back, priority }) => {
        start += startAfter
        await pass(start)
        const permit = await processes[process]!.acquire({ priority })
        await pass(there)
        server.arrive(time.now())
        await pass(back)
        permit.release()
      })
      await time.finish(Promise.all(calls))
      expect(server.refused).toBe(0)
      await time.advance(250)
      expect(processes[0]!.snapshot()).toMatchObject({ inFlight: 0, waiting: 0, slowed: false })
      expect(time.pending).toBe(0)
      own.remove()
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('get the same share if all send continuously', async () => {
    const served = [0, 0, 0]
    const end = clock.now() + 300_000
    const work = served.map(async (_, index) => {
      const { budget } = machine.start()
      while (clock.now() < end) {
        const permit = await budget.acquire({ priority: 'visible' })
        served[index]! += 1
        await after(20 + index)
        permit.release()
      }
    })
    await clock.finish(Promise.all(work))
    expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(2)
    expect(served.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(295)
  })

  test('are not blocked by one that sends much, whenever they start', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 3_000 }), async offset => {
      const [time, rule] = [new VirtualClock(), { capacity: 1 }]
      const own = virtualMachine(time)
      const [busy, other] = [own.start({ ...rule, clock: time }).budget, own.start({ ...rule, clock: time }).budget]
      const much = Promise.all(Array.from({ length: 10 }, () => askAndEnd(busy, 'visible')))
      await time.advance(1_000 + offset)
      for (let turn = 0; turn < 2; turn += 1) {
        const start = time.now()
        await time.finish(askAndEnd(other, 'visible'))
        expect(time.now() - start).toBeLessThanOrEqual(2_252)
      }
      await time.finish(much)
      own.remove()
    })
    await fc.assert(property, { numRuns: 50 })
  })

  test("send a person's request before the polling of another process, even without a reserve", async () => {
    const rule = { capacity: 1 }
    const [other, mine] = [machine.start(rule).budget, machine.start(rule).budget]
    await askAndEnd(other, 'foreground')
    const polling = Promise.all(Array.from({ length: 5 }, () => askAndEnd(other, 'visible')))
    await clock.advance(1_500)
    const asked = clock.now()
    await clock.finish(askAndEnd(mine, 'foreground'))
    expect(clock.now() - asked).toBeLessThan(1_100)
    await clock.finish(polling)
  })

  test('free a claim when its wait ends, or soon after its process has stopped', async () => {
    const rule = { capacity: 1 }
    const frozen = machine.start({ ...rule, clock: new VirtualClock() }).budget
    const other = machine.start(rule).budget
    await askAndEnd(other, 'foreground')
    const stop = new AbortController()
    const given = frozen.acquire({ priority: 'foreground', signal: stop.signal })
    stop.abort()
    await expect(given).rejects.toMatchObject({ kind: 'aborted' })
    const start = clock.now()
    await clock.finish(askAndEnd(other, 'visible'))
    expect(clock.now() - start).toBeLessThanOrEqual(1_002)
    void frozen.acquire({ priority: 'foreground' })
    await clock.finish(askAndEnd(other, 'visible'))
    expect(clock.now() - start).toBeGreaterThan(2_002)
    expect(clock.now() - start).toBeLessThanOrEqual(1_002 + 1_001 + 750)
  })
})

describe('processes with one budget share', () => {
  test('tokens, requests in flight, pauses and pollers', async () => {
    const [one, two] = [machine.start().budget, machine.start().budget]
    const permits = await take(one, 4)
    await two.acquire()
    expect(two.snapshot()).toMatchObject({ tokens: 5, inFlight: 5 })
    await clock.advance(20_000)
    expect(one.snapshot()).toMatchObject({ tokens: 5, inFlight: 5 })
    const stop = one.startPolling()
    one.startPolling()
    await clock.advance(1_000)
    expect(two.snapshot().pollers).toBe(2)
    stop()
    stop()
    permits[0]!.limited(7_000)
    const until = clock.now() + 7_000
    await clock.advance(500)
    expect(two.snapshot()).toMatchObject({ tokens: 0, pausedUntil: until, pollers: 1, slowed: true })
    await clock.finish(two.acquire())
    expect(clock.now()).toBeGreaterThanOrEqual(until)
  })

  test('nothing between different keys', async () => {
    const [one, two] = [machine.start().budget, machine.start({}, 'another key').budget]
    await drain(one)
    await two.acquire()
    expect(two.snapshot()).toMatchObject({ tokens: 9, inFlight: 1 })
    const ids = [budgetKeyId('http://a', 'sk_1'), budgetKeyId('http://a', 'sk_2'), budgetKeyId('http://b', 'sk_1')]
    expect(new Set(ids).size).toBe(3)
    expect(ids.join()).not.toContain('sk_')
  })

  test('the gauge, even with a process that only reads', async () => {
    const [one, two] = [machine.start().budget, machine.start().budget]
    await two.acquire().then(permit => permit.release())
    let seen = two.snapshot()
    const stop = two.subscribe(() => {
      seen = two.snapshot()
    })
    await take(one, 6)
    await clock.advance(2_200)
    expect(seen).toMatchObject({ inFlight: 6, tokens: 4 })
    stop()
  })
})

test('while nobody is there, other processes are read eight times as rarely', async () => {
  const [one, two] = [machine.start().budget, machine.start().budget]
  await two.acquire().then(permit => permit.release())
  await clock.advance(2_000)
  const after = vi.spyOn(clock, 'after')
  const stop = two.subscribe(() => undefined)
  await clock.advance(60_000)
  const attended = after.mock.calls.length
  two.setRest(8)
  after.mockClear()
  await clock.advance(64_000)
  expect([attended, after.mock.calls.length].map(looks => looks > 50)).toEqual([true, false])
  expect(after.mock.calls.length).toBeLessThanOrEqual(9)
  await take(one, 6)
  let seen = two.snapshot()
  two.subscribe(() => (seen = two.snapshot()))
  await clock.advance(8_000)
  expect(seen).toMatchObject({ inFlight: 6 })
  two.setRest(1)
  await take(one, 1)
  await clock.advance(1_000)
  expect(seen).toMatchObject({ inFlight: 7 })
  stop()
})

describe('the budget of a process that dies', () => {
  test('frees its requests at once if its id is gone', async () => {
    const [dying, other] = [machine.start(), machine.start().budget]
    await take(dying.budget, 10)
    dying.budget.startPolling()
    await clock.advance(12_000)
    dying.kill()
    const start = clock.now()
    await clock.finish(other.acquire({ priority: 'foreground' }))
    expect(clock.now() - start).toBeLessThanOrEqual(1_251)
    expect(other.snapshot()).toMatchObject({ inFlight: 1, pollers: 0 })
  })

  test('counts its requests while it runs, however long they take', async () => {
    const [slow, other] = [machine.start().budget, machine.start().budget]
    await take(slow, 10)
    const waiting = other.acquire({ priority: 'foreground' })
    await clock.advance(LEASE_MS * 4)
    expect(other.snapshot()).toMatchObject({ inFlight: 10, waiting: 1 })
    slow.close()
    await clock.finish(waiting)
  })

  test('frees its requests after its lease if its id proves nothing', () => {
    const holders = fc.integer({ min: 1, max: 10 })
    const property = fc.asyncProperty(holders, fc.integer({ min: 0, max: 20_000 }), async (held, idle) => {
      const [frozen, time] = [new VirtualClock(), new VirtualClock()]
      const own = virtualMachine(time)
      const { budget: stopped } = own.start({ clock: frozen })
      const { budget: other } = own.start()
      await take(stopped, held)
      await time.advance(idle)
      const start = time.now()
      await time.finish(Promise.all(Array.from({ length: 10 }, () => other.acquire({ priority: 'foreground' }))))
      expect(time.now() - start).toBeLessThanOrEqual(LEASE_MS + 10_251)
      own.remove()
    })
    return fc.assert(property, { numRuns: 20 })
  })
})

describe('a refusal within the budget', () => {
  test('halves the assumed rate, which recovers within half an hour of successes', async () => {
    const [one, two] = [machine.start().budget, machine.start().budget]
    const [permit] = await take(one, 1)
    permit!.limited(1_000)
    await clock.advance(1_000)
    expect(one.snapshot()).toMatchObject({ refillPerSecond: 0.5, slowed: true })
    const rates: number[] = []
    const start = clock.now()
    do {
      const next = await clock.finish(two.acquire())
      next.release()
      await clock.advance(5_000)
      rates.push(two.snapshot().refillPerSecond)
    } while (two.snapshot().slowed)
    expect(rates).toEqual([...rates].toSorted((a, b) => a - b))
    expect(clock.now() - start).toBeGreaterThan(20 * 60_000)
    expect(clock.now() - start).toBeLessThan(30 * 60_000)
    expect(one.snapshot()).toMatchObject({ refillPerSecond: 1, slowed: false })
  })

  test('slows requests down to a twentieth at most, even if repeated', async () => {
    const { budget } = machine.start()
    for (let i = 0; i < 12; i += 1) {
      const permit = await clock.finish(budget.acquire({ priority: 'foreground' }))
      permit.limited(1_000)
    }
    expect(budget.snapshot().refillPerSecond).toBe(0.05)
  })
})

describe('the file of the budget', () => {
  const mode = (path: string) => statSync(path).mode & 0o777

  test('is readable only by its owner', async () => {
    await machine.start().budget.acquire()
    const files = [machine.file, `${machine.file}-wal`, `${machine.file}-shm`]
    expect(files.map(mode)).toEqual([0o600, 0o600, 0o600])
    expect(mode(dirname(machine.file))).toBe(0o700)
  })

  test('is reported once if it cannot be created, and the process continues alone', async () => {
    writeFileSync(dirname(machine.file), 'a file in the place of the directory')
    const { budget, notices } = machine.start()
    await take(budget, 3)
    expect(budget.snapshot()).toMatchObject({ tokens: 7, inFlight: 3, pollers: 0 })
    expect(notices).toEqual([expect.stringMatching(/^The request budget is not shared with other processes: /)])
  })

  test('that is not a database is reported once and left unchanged', async () => {
    mkdirSync(dirname(machine.file))
    writeFileSync(machine.file, 'words, not tables, in some length: '.repeat(100))
    const { budget, notices } = machine.start()
    await take(budget, 3)
    expect(notices).toHaveLength(1)
    expect(readFileSync(machine.file, 'utf8')).toMatch(/^words/)
  })

  test('delays nobody while another process locks it, and the service still never refuses', async () => {
    const processes = [machine.start().budget, machine.start().budget]
    const server = exactServer(10, 1, clock.now())
    const end = clock.now() + 40_000
    let during = 0
    const hammer = async (budget: Budget) => {
      while (clock.now() < end) {
        const permit = await budget.acquire({ priority: 'foreground' })
        server.arrive(clock.now())
        if (blocked) during += 1
        await after(5)
        permit.release()
      }
    }
    let blocked = false
    const block = async () => {
      await after(3_000)
      const blocker = new DatabaseSync(machine.file)
      blocker.exec('BEGIN IMMEDIATE')
      blocked = true
      await after(15_000)
      blocked = false
      blocker.exec('ROLLBACK')
      blocker.close()
    }
    await clock.finish(Promise.all([...processes.map(hammer), block()]))
    expect(server.refused).toBe(0)
    expect(during).toBeGreaterThanOrEqual(10)
    expect(during).toBeLessThanOrEqual(15)
  })

  test('from before a restart of the machine pauses nobody', async () => {
    const before = machine.start()
    const permits = await take(before.budget, 10)
    permits[0]!.limited(5_000)
    before.kill()
    const file = new DatabaseSync(machine.file)
    file.exec(
      `UPDATE accounts SET seen = seen + 9e9, at = at + 9e9; UPDATE members SET lease_until = lease_until + 9e9`,
    )
    file.close()
    const { budget } = machine.start()
    const start = clock.now()
    await clock.finish(budget.acquire({ priority: 'foreground' }))
    expect(clock.now() - start).toBeLessThan(5_100)
    expect(budget.snapshot().inFlight).toBe(1)
  })
})
