import { expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { simulateMachines } from './machines.ts'
import { VirtualClock } from './virtual-clock.ts'

test.each([1, 3, 10])('%i machines with one key settle within a minute, and none starves', async machines => {
  const { answered, refused, least } = await simulateMachines(machines)
  expect(refused / (answered + refused)).toBeLessThan(0.01)
  expect(least).toBeGreaterThan(0.5)
  // The available rate is used.
  expect(answered).toBeGreaterThan(0.8 * 59 * 60)
})

test('machines that are refused together retry at different times, each always after the same pause', async () => {
  const names = ['one', 'two', 'three']
  const pauseOn = async (name: string): Promise<number> => {
    const clock = new VirtualClock()
    const machine = { name, pid: 1, now: clock.now, startOf: () => 'start' }
    const budget = createBudget({ clock, sharing: { file: '/dev/null/none', keyId: 'key', machine } })
    const permit = await budget.acquire()
    permit.limited(1_000)
    return budget.snapshot().pausedUntil! - clock.now()
  }
  const pauses = await Promise.all(names.map(pauseOn))
  expect(new Set(pauses).size).toBe(names.length)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000)
  expect(await Promise.all(names.map(pauseOn))).toEqual(pauses)
})
