import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBudget } from '../api/budget.ts'
import { growWhileLive } from './young-space.ts'

const MEGABYTE = 1024 * 1024

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('the space for young objects grows while something is live, and to a bound', async () => {
  const budget = createBudget({ unlimited: true })
  const space = { bytes: 2 * MEGABYTE, growth: 'stopped' }
  growWhileLive(budget, {
    setGrowth: growth => {
      space.growth = growth
    },
    size: () => space.bytes,
  })
  const [first, second] = [budget.startPolling(), budget.startPolling()]
  expect(space.growth).toBe('stopped')
  await vi.advanceTimersByTimeAsync(1000)
  expect(space.growth).toBe('doubling')
  space.bytes = 8 * MEGABYTE
  await vi.advanceTimersByTimeAsync(1000)
  expect(space.growth).toBe('doubling')
  first()
  expect(space.growth).toBe('doubling')
  space.bytes = 16 * MEGABYTE
  await vi.advanceTimersByTimeAsync(1000)
  expect(space.growth).toBe('stopped')
  second()
  space.bytes = 2 * MEGABYTE
  const third = budget.startPolling()
  await vi.advanceTimersByTimeAsync(1000)
  expect(space.growth).toBe('doubling')
  third()
  budget.startPolling()()
  await vi.advanceTimersByTimeAsync(1000)
  expect(space.growth).toBe('stopped')
  expect(vi.getTimerCount()).toBe(0)
})
