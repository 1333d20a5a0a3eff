import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Budget } from '../../src/api/client/budget/budget.ts'
import { spentOn } from '../../src/domain/budget/lines.ts'
import { VirtualClock } from './virtual-clock.ts'
import { virtualMachine } from './virtual-machine.ts'

let clock: VirtualClock
let machine: ReturnType<typeof virtualMachine>

beforeEach(() => {
  clock = new VirtualClock()
  machine = virtualMachine(clock)
})

afterEach(() => machine.remove())

const after = (ms: number) => new Promise<void>(resolve => clock.after(ms, resolve))

test('requests of all processes in the last minute are counted by purpose, even of ended processes', async () => {
  const [one, job] = [machine.start().budget, machine.start().budget]
  one.placeIs('runs')
  job.placeIs('mcpdeck get')
  const send = async (budget: Budget, purpose: 'live' | 'write' | 'foreground') =>
    (await budget.acquire({ priority: 'foreground', purpose })).release()
  await send(one, 'live')
  await clock.advance(5_000)
  await send(one, 'live')
  await send(one, 'write')
  await send(job, 'foreground')
  ;(await job.acquire({ priority: 'foreground' })).limited(1_000)
  job.close()
  const looking = machine.start().budget
  const groups = () => spentOn(looking.report().spent).map(({ place, count, refused }) => [place, count, refused])
  expect(groups()).toEqual([
    ['runs', 3, 0],
    ['mcpdeck get', 2, 1],
  ])
  expect(looking.snapshot()).toMatchObject({ slowed: true })
  expect(one.report().spent.filter(({ isOwn }) => isOwn)).toHaveLength(3)
  await clock.advance(56_000)
  expect(groups()).toContainEqual(['runs', 2, 0])
  await clock.advance(10_000)
  expect(groups()).toEqual([])
})

test('a key press waits at most two seconds for its permit while dashboards and a build job poll', async () => {
  const end = clock.now() + 3 * 60_000
  const poll = async (budget: Budget, owner: string) => {
    const stop = budget.startPolling()
    while (clock.now() < end) {
      const permit = await budget.acquire({ priority: 'visible', owner })
      await after(150)
      permit.release()
    }
    stop()
  }
  const budgets = Array.from({ length: 4 }, () => machine.start().budget)
  const waits: number[] = []
  const person = async () => {
    while (clock.now() < end) {
      const asked = clock.now()
      const permit = await budgets[0]!.acquire({ priority: 'foreground' })
      waits.push(clock.now() - asked)
      await after(150)
      permit.release()
      await after(3_000 + (waits.length % 7) * 1_000)
    }
  }
  // Each process requests far more than the rate allows.
  await clock.finish(Promise.all([person(), ...budgets.flatMap(budget => [poll(budget, 'a'), poll(budget, 'b')])]))
  expect(waits.length).toBeGreaterThan(20)
  expect(Math.max(...waits)).toBeLessThanOrEqual(2_000)
})
