import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { every, gatheredPause, gatherNews, sharedPause, UNSEEN_POLL_MS } from './clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('intervals share their wake-ups if one divides the other, whenever each started', () => {
  const wakes = new Set<number>()
  const calls: string[] = []
  const begin = (name: string, ms: number) =>
    every(ms, () => {
      wakes.add(performance.now())
      calls.push(name)
    })
  const ends = [begin('a', 2000)]
  vi.advanceTimersByTime(730)
  ends.push(begin('b', 4000), begin('c', 8000))
  vi.advanceTimersByTime(1234)
  ends.push(begin('d', 4000))
  vi.advanceTimersByTime(32_000)
  expect(vi.getTimerCount()).toBe(1)
  // After a while all intervals share their wakes, one every two seconds.
  wakes.clear()
  calls.length = 0
  vi.advanceTimersByTime(32_000)
  expect(wakes.size).toBe(16)
  const count = (name: string) => calls.filter(each => each === name).length
  expect(['a', 'b', 'c', 'd'].map(count)).toEqual([16, 8, 4, 8])
  for (const end of ends) end()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([10, 700, 1010, 1990])('no call comes late, and none before half of the interval has passed (%i)', phase => {
  vi.advanceTimersByTime(phase)
  const calls = [performance.now()]
  const end = every(2000, () => void calls.push(performance.now()))
  vi.advanceTimersByTime(10_000)
  const pauses = calls.slice(1).map((at, index) => at - calls[index]!)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(2001)
  end()
})

test('a call that fails or stops another does not affect the other calls', () => {
  const calls: string[] = []
  const ends = [
    every(1000, () => {
      ends[1]!()
      calls.push('first')
      throw new Error('full')
    }),
    every(1000, () => calls.push('ended')),
    every(1000, () => calls.push('last')),
  ]
  expect(() => vi.advanceTimersByTime(1500)).toThrow('full')
  vi.advanceTimersByTime(400)
  expect(calls).toEqual(['first', 'last'])
  for (const end of ends) end()
})

test('after the machine slept, a missed interval is called once, not once for each time', () => {
  let calls = 0
  const end = every(1000, () => void (calls += 1))
  vi.advanceTimersToNextTimer()
  vi.setSystemTime(Date.now() + 60_000)
  vi.advanceTimersToNextTimer()
  expect(calls).toBe(2)
  end()
})

test.each([1000, 3000, 9990, 10_030, 60_250])(
  'a shared pause of %i ms ends with the wake that comes every ten seconds',
  ms => {
    vi.advanceTimersByTime(7654)
    const ends = performance.now() + sharedPause(ms)
    expect(Math.round(ends) % 10_000).toBe(0)
    expect(sharedPause(ms)).toBeGreaterThan(ms - 501)
    expect(sharedPause(ms)).toBeLessThanOrEqual(ms + (ms < 15_000 ? 9_500 : 19_500))
    expect(sharedPause(300)).toBe(300)
  },
)

test.each([0, 3000, 12_000])(
  'while nobody is using the program, delayed work wakes with a poll that started %i ms before it',
  phase => {
    gatherNews(100)
    onTestFinished(() => gatherNews(0))
    const wakes = new Set<number>()
    const wake = (): void => void wakes.add(Math.round(performance.now()))
    const end = every(UNSEEN_POLL_MS, () => {
      wake()
      setTimeout(wake, gatheredPause(1500, 30_000))
    })
    vi.advanceTimersByTime(UNSEEN_POLL_MS + phase)
    const plan = (): void => {
      wake()
      setTimeout(plan, sharedPause(UNSEEN_POLL_MS))
    }
    plan()
    vi.advanceTimersByTime(60_000)
    wakes.clear()
    vi.advanceTimersByTime(300_000)
    expect(wakes.size).toBe(15)
    end()
  },
)

test('intervals continue if the timer that they had set never fires', () => {
  const lost = every(120, () => undefined)
  // Simulates a machine that slept, or a replaced clock: time passed without its timers.
  vi.clearAllTimers()
  vi.advanceTimersByTime(1000)
  const run = vi.fn<() => void>()
  const end = every(120, run)
  vi.advanceTimersByTime(1000)
  expect(run.mock.calls.length).toBeGreaterThan(4)
  end()
  lost()
})
