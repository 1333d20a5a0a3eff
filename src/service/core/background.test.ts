import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBackground } from './background.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates background tasks that record when they run. */
function withLooks(longestMs?: number) {
  const failures: unknown[] = []
  const seen: string[] = []
  const background = createBackground(error => failures.push(error), longestMs)
  const look = (name: string, how: () => unknown = () => undefined) => {
    return () => {
      seen.push(`${name} ${Date.now()}`)
      return how()
    }
  }
  vi.setSystemTime(0)
  return { background, failures, seen, look }
}

test('tasks with the same pause run at the same time, whenever each was added', async () => {
  const { background, seen, look } = withLooks()
  background.every(5000, look('a'))
  await vi.advanceTimersByTimeAsync(70)
  background.every(5000, look('b'))
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen).toEqual(['a 5000', 'b 5000', 'a 10000', 'b 10000'])
  await background.close()
})

test('a task that returns false ends, and no timer remains after the last task with its pause', async () => {
  const { background, seen, look } = withLooks()
  background.every(
    50,
    look('once', () => false),
  )
  background.every(
    50,
    look('twice', () => seen.length < 3),
  )
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen).toEqual(['once 50', 'twice 50', 'twice 100'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a task that fails or is slow does not delay others, and is never run twice at once', async () => {
  const { background, failures, seen, look } = withLooks(100)
  const { promise, resolve } = Promise.withResolvers<void>()
  background.every(
    5000,
    look('slow', () => promise),
  )
  background.every(
    5000,
    look('broken', () => Promise.reject(new Error('full'))),
  )
  await vi.advanceTimersByTimeAsync(250)
  expect(seen).toEqual(['slow 100', 'broken 100', 'broken 200'])
  expect(failures).toHaveLength(2)
  let isClosed = false
  void background.close().then(() => (isClosed = true))
  await vi.advanceTimersByTimeAsync(500)
  expect({ isClosed, count: seen.length }).toEqual({ isClosed: false, count: 3 })
  resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(isClosed).toBe(true)
})
