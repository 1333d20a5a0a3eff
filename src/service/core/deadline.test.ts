import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LONGEST_MS, startDeadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('each progress report restarts the timeout of an operation, until a total limit is reached', () => {
  const deadline = startDeadline(30_000, 'slow')
  for (let at = 0; at < LONGEST_MS - 60_000; at += 20_000) {
    vi.advanceTimersByTime(20_000)
    deadline.prolong()
    expect(deadline.expired).toBe(false)
  }
  for (let more = 0; more < 10; more += 1) {
    vi.advanceTimersByTime(20_000)
    deadline.prolong()
  }
  expect(deadline.expired).toBe(true)
  deadline.end()
})

test('an operation without progress ends at its timeout', () => {
  const deadline = startDeadline(30_000, 'slow')
  vi.advanceTimersByTime(29_999)
  expect(deadline.expired).toBe(false)
  vi.advanceTimersByTime(1)
  expect(deadline.signal.reason).toMatchObject({ code: 'TIMEOUT' })
})

test('the timeout of an operation starts again after waiting for a person', () => {
  const deadline = startDeadline(30_000, 'slow')
  const release = deadline.hold()
  deadline.prolong()
  vi.advanceTimersByTime(120_000)
  expect(deadline.expired).toBe(false)
  release()
  vi.advanceTimersByTime(30_000)
  expect(deadline.expired).toBe(true)
})
