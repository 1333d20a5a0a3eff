import * as fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { exactServer } from '../../../../test/client/exact-server.ts'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { createBudget, type Permit } from './budget.ts'
import { thisMachine } from '../../../lib/machine.ts'
import { livePause } from '../../../domain/polling/cadence.ts'
import { tokensNeeded, type Priority } from './waiting-queue.ts'

const priorities: Priority[] = ['foreground', 'visible', 'pinned', 'background']

const request = fc.record({
  startAfter: fc.integer({ min: 0, max: 4_000 }),
  there: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20_000 })),
  back: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20_000 })),
  priority: fc.constantFrom(...priorities),
  owner: fc.constantFrom('a', 'b', 'c'),
  arrives: fc.boolean(),
})

describe('the budget against an exact server', () => {
  test('never sends what the server would refuse, whatever the delays', async () => {
    const rule = fc.record({ capacity: fc.integer({ min: 1, max: 12 }), refillPerSecond: fc.constantFrom(0.5, 1, 3) })
    const property = fc.asyncProperty(rule, fc.array(request, { minLength: 1, maxLength: 60 }), async (bucket, all) => {
      const clock = new VirtualClock()
      const budget = createBudget({ ...bucket, clock })
      const server = exactServer(bucket.capacity, bucket.refillPerSecond, clock.now())
      let start = 0
      const calls = all.map(async ({ startAfter, there, back, priority, owner, arrives }) => {
        start += startAfter
        await new Promise<void>(resolve => clock.after(start, resolve))
        const permit = await budget.acquire({ priority, owner })
        await new Promise<void>(resolve => clock.after(there, resolve))
        if (!arrives) return permit.unused()
        server.arrive(clock.now())
        await new Promise<void>(resolve => clock.after(back, resolve))
        permit.release()
      })
      await clock.finish(Promise.all(calls))
      expect(server.refused).toBe(0)
      expect(budget.snapshot()).toMatchObject({ waiting: 0, inFlight: 0 })
    })
    await fc.assert(property, { numRuns: 150 })
  })

  test('requests that were never sent cost nothing, however often they are repeated', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    for (let attempt = 0; attempt < 40; attempt += 1) (await budget.acquire({ priority: 'background' })).unused()
    expect(budget.snapshot()).toMatchObject({ tokens: 10, inFlight: 0 })
  })

  test('three live runs of two requests each never get a 429 in an hour, with a person at the keys', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const server = exactServer(10, 1, clock.now())
    const end = clock.now() + 3_600_000
    const send = async (priority: Priority, owner: string) => {
      const permit = await budget.acquire({ priority, owner })
      await new Promise<void>(resolve => clock.after(120, resolve))
      server.arrive(clock.now())
      await new Promise<void>(resolve => clock.after(180, resolve))
      permit.release()
    }
    const interval = livePause({ unlimited: false, refillPerSecond: 1, pollers: 3 }, 2)
    const poll = async (owner: string) => {
      while (clock.now() < end) {
        await Promise.all([send('visible', owner), send('visible', owner)])
        await new Promise<void>(resolve => clock.after(interval, resolve))
      }
    }
    let slowest = 0
    const person = async () => {
      while (clock.now() < end) {
        const asked = clock.now()
        await send('foreground', 'person')
        slowest = Math.max(slowest, clock.now() - asked)
        await new Promise<void>(resolve => clock.after(5_000, resolve))
      }
    }
    await clock.finish(Promise.all([poll('a'), poll('b'), poll('c'), person()]))
    expect(server.refused).toBe(0)
    expect(slowest).toBeLessThan(1_000)
  })
})

async function drain(budget: ReturnType<typeof createBudget>, count: number): Promise<Permit[]> {
  return await Promise.all(Array.from({ length: count }, () => budget.acquire({ priority: 'foreground' })))
}

describe('the order of requests', () => {
  test('is by priority, then in turns of the owners, then by arrival', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    for (const permit of await drain(budget, 10)) permit.release()
    const served: string[] = []
    const ask = async (name: string, priority: Priority, owner: string) => {
      const permit = await budget.acquire({ priority, owner })
      served.push(name)
      permit.release()
    }
    const work = Promise.all([
      ask('bg', 'background', 'x'),
      ask('a1', 'visible', 'a'),
      ask('a2', 'visible', 'a'),
      ask('a3', 'visible', 'a'),
      ask('b1', 'visible', 'b'),
      ask('pin', 'pinned', 'p'),
      ask('me', 'foreground', 'person'),
    ])
    await clock.finish(work)
    expect(served).toEqual(['me', 'a1', 'b1', 'a2', 'a3', 'pin', 'bg'])
  })

  test('serves owners of one priority in turn, and none twice while another waits', () => {
    const owners = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 20 })
    const property = fc.asyncProperty(owners, async all => {
      const clock = new VirtualClock()
      const budget = createBudget({ clock })
      for (const permit of await drain(budget, 10)) permit.release()
      const served: { owner: string; index: number }[] = []
      const work = all.map(async (owner, index) => {
        const permit = await budget.acquire({ owner })
        served.push({ owner, index })
        permit.release()
      })
      await clock.finish(Promise.all(work))
      for (const owner of ['a', 'b', 'c']) {
        const own = served.filter(item => item.owner === owner).map(item => item.index)
        expect(own).toEqual([...own].toSorted((x, y) => x - y))
      }
      served.slice(1).forEach((item, position) => {
        if (item.owner !== served[position]?.owner) return
        const later = served.slice(position + 1).map(other => other.owner)
        expect(new Set(later).size).toBe(1)
      })
    })
    return fc.assert(property, { numRuns: 100 })
  })

  test('lower priorities leave a reserve for the person', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const left = async (priority: Priority) => {
      const fresh = createBudget({ clock })
      const granted: Permit[] = []
      const stop = new AbortController()
      for (let i = 0; i < 10; i += 1)
        fresh.acquire({ priority, signal: stop.signal }).then(
          permit => granted.push(permit),
          () => {},
        )
      await clock.advance(0)
      stop.abort()
      return 10 - granted.length
    }
    expect(await Promise.all(priorities.map(left))).toEqual([0, 1, 2, 3])
    expect(budget.snapshot().tokens).toBe(10)
  })

  test('shrinks the reserve with the capacity and never exceeds it', () => {
    for (let capacity = 1; capacity <= 20; capacity += 1)
      for (const priority of priorities)
        expect(tokensNeeded(priority, capacity)).toBeLessThanOrEqual(Math.max(1, capacity))
    expect(priorities.map(priority => tokensNeeded(priority, 1))).toEqual([1, 1, 1, 1])
    expect(priorities.map(priority => tokensNeeded(priority, 10))).toEqual([1, 2, 3, 4])
  })
})

describe('a refusal by the service', () => {
  test('empties the budget and pauses it until Retry-After', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock, random: () => 0 })
    const permit = await budget.acquire()
    const end = clock.now() + 7_000
    permit.limited(7_000)
    permit.release()
    expect(budget.snapshot()).toMatchObject({ tokens: 0, pausedUntil: end, inFlight: 0 })
    const [first, second] = [budget.acquire(), budget.acquire()]
    await clock.advance(6_999)
    expect(budget.snapshot().waiting).toBe(2)
    await clock.finish(Promise.all([first, second]))
    expect(clock.now()).toBeGreaterThanOrEqual(end)
    expect(budget.snapshot().pausedUntil).toBeUndefined()
  })

  test('without Retry-After pauses for a jittered, growing time that ends with success', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock, random: () => 0 })
    const pause = async () => {
      const permit = await clock.finish(budget.acquire({ priority: 'foreground' }))
      permit.limited(undefined)
      return (budget.snapshot().pausedUntil ?? 0) - clock.now()
    }
    const pauses = [await pause(), await pause(), await pause()]
    expect(pauses).toEqual([1_000, 2_000, 4_000])
    const permit = await clock.finish(budget.acquire())
    permit.release()
    expect(await pause()).toBe(1_000)
  })

  test('of a request sent before the pause lengthens the pause only by its own Retry-After', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock, random: () => 0 })
    const permits = await drain(budget, 3)
    permits[0]!.limited(undefined)
    const until = budget.snapshot().pausedUntil!
    permits[1]!.limited(undefined)
    expect(budget.snapshot().pausedUntil).toBe(until)
    permits[2]!.limited(9_000)
    expect(budget.snapshot().pausedUntil).toBe(clock.now() + 9_000)
  })

  test('that lasts longer than any caller waits is reported at once, even to requests already waiting', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const permits = await drain(budget, 10)
    const waiting = budget.acquire()
    permits[0]!.limited(3_600_000)
    const expected = { kind: 'refused', code: 'rate-paused', sent: false, retryAfterMs: 3_600_000 }
    await expect(waiting).rejects.toMatchObject(expected)
    await expect(budget.acquire()).rejects.toMatchObject(expected)
  })
})

describe('a pause without a time limit', () => {
  test('ends after an hour, and then a single request is tried', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock, random: () => 0 })
    for (const permit of await drain(budget, 3)) permit.limited(99_999_999_000)
    expect(budget.snapshot().pausedUntil).toBe(clock.now() + 3_600_000)
    await expect(budget.acquire()).rejects.toMatchObject({ code: 'rate-paused', retryAfterMs: 3_600_000 })
    await clock.advance(3_600_000)
    const again = await clock.finish(budget.acquire())
    again.limited(99_999_999_000)
    await expect(budget.acquire()).rejects.toMatchObject({ code: 'rate-paused' })
  })

  test('can be ended for every process of the machine, and is not restarted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-budget-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const { name, pid, startOf } = thisMachine
    const machine = { name, pid, startOf, now: clock.now }
    const shared = () => createBudget({ clock, sharing: { file: join(folder, 'budget.sqlite'), keyId: 'k', machine } })
    const [one, other, later] = [shared(), shared(), shared()]
    const permit = await clock.finish(one.acquire())
    permit.limited(99_999_999_000)
    await clock.advance(3_000_000)
    await expect(other.acquire()).rejects.toMatchObject({ code: 'rate-paused', retryAfterMs: 600_000 })
    expect(later.reset()).toBe(true)
    expect(later.reset()).toBe(false)
    await clock.finish(other.acquire())
    for (const budget of [one, other, later]) budget.close()
  })

  test('can be ended by a person', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const permit = await budget.acquire()
    permit.limited(99_999_999_000)
    budget.reset()
    expect(budget.snapshot().pausedUntil).toBeUndefined()
    await clock.finish(budget.acquire())
  })
})

describe('cancelled requests in the queue', () => {
  test('leave no trace', async () => {
    const waits = fc.array(fc.record({ priority: fc.constantFrom(...priorities), cancel: fc.boolean() }), {
      minLength: 1,
      maxLength: 20,
    })
    const property = fc.asyncProperty(waits, async all => {
      const clock = new VirtualClock()
      const budget = createBudget({ clock })
      for (const permit of await drain(budget, 10)) permit.release()
      const results = all.map(async ({ priority, cancel }) => {
        const stop = new AbortController()
        const waiting = budget.acquire({ priority, signal: stop.signal })
        if (!cancel) return (await waiting).release()
        stop.abort()
        return await expect(waiting).rejects.toMatchObject({ name: 'ApiError', kind: 'aborted', sent: false })
      })
      const kept = all.filter(({ cancel }) => !cancel).length
      expect(budget.snapshot().waiting).toBe(kept)
      await clock.finish(Promise.all(results))
      expect(budget.snapshot()).toMatchObject({ waiting: 0, inFlight: 0 })
      expect(clock.pending).toBe(0)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('an aborted signal never takes a token of the budget', async () => {
    const budget = createBudget({ clock: new VirtualClock() })
    await expect(budget.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' })
    expect(budget.snapshot()).toMatchObject({ tokens: 10, inFlight: 0 })
  })
})

describe('the gauge of the budget', () => {
  test('is the same object until something changes, and reports each change', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const listener = vi.fn<() => void>()
    const stop = budget.subscribe(listener)
    const full = budget.snapshot()
    expect(budget.snapshot()).toBe(full)
    const permit = await budget.acquire()
    expect(listener).toHaveBeenCalled()
    expect(budget.snapshot()).toMatchObject({ tokens: 9, inFlight: 1 })
    permit.release()
    listener.mockClear()
    await clock.advance(1_500)
    expect(listener).toHaveBeenCalled()
    expect(budget.snapshot()).toMatchObject({ tokens: 10, inFlight: 0 })
    // A full budget needs no timer.
    expect(clock.pending).toBe(0)
    stop()
  })

  test('notifies a listener of a change even if another caller has already read it', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ clock })
    const listener = vi.fn<() => void>()
    budget.subscribe(listener)
    const permit = await budget.acquire()
    listener.mockClear()
    permit.release()
    await clock.advance(1_100)
    budget.snapshot()
    await clock.advance(300)
    expect(listener).toHaveBeenCalled()
  })

  test('an unlimited budget only counts requests, and its listeners need no timer', async () => {
    const clock = new VirtualClock()
    const budget = createBudget({ unlimited: true, clock })
    budget.subscribe(() => undefined)
    await Promise.all(Array.from({ length: 50 }, () => budget.acquire({ priority: 'background' })))
    expect(budget.snapshot()).toMatchObject({ unlimited: true, tokens: Infinity, waiting: 0, inFlight: 50 })
    expect(clock.pending).toBe(0)
  })
})

test('background requests are sent one at a time, and a person never waits for them', async () => {
  const clock = new VirtualClock()
  const budget = createBudget({ clock })
  budget.setOneByOne(true)
  const sent: string[] = []
  const ask = async (name: string, priority: 'foreground' | 'visible') => {
    const permit = await budget.acquire({ priority })
    sent.push(name)
    return permit
  }
  const [first, , third] = [ask('first', 'visible'), ask('second', 'visible'), ask('key', 'foreground')]
  await clock.advance(1_000)
  expect(sent).toEqual(['first', 'key'])
  ;(await third).release()
  await clock.advance(1_000)
  expect(sent).toEqual(['first', 'key'])
  ;(await first).release()
  await clock.advance(1_000)
  expect(sent).toEqual(['first', 'key', 'second'])
  void ask('third', 'visible')
  budget.setOneByOne(false)
  await clock.advance(1_000)
  expect(sent).toEqual(['first', 'key', 'second', 'third'])
})
