import { Text } from 'ink'
import { useState } from 'react'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { gatherNews, together } from '../lib/clock.ts'
import { useMinute, useSaidNow } from './use-now.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

beforeEach(
  () =>
    void vi.useFakeTimers({
      now: NOON + 20_000,
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    }),
)
afterEach(() => void vi.useRealTimers())

test('all ages are rendered again together when a minute begins, and not before', async () => {
  const drawn = vi.fn<() => void>()
  function Aged() {
    useMinute()
    drawn()
    return <Text>{new Date().getUTCMinutes()}</Text>
  }
  const { lastFrame, unmount } = render(
    <Text>
      <Aged /> <Aged />
    </Text>,
  )
  await vi.advanceTimersByTimeAsync(39_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([2, '0 0'])
  await vi.advanceTimersByTimeAsync(2_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([4, '1 1'])
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

test('a text that depends on the time renders only when it changes', async () => {
  const drawn = vi.fn<() => void>()
  function Said() {
    const text = useSaidNow(now => (now < NOON + 60_000 ? 'before' : 'after'))
    drawn()
    return <Text>{text}</Text>
  }
  const { lastFrame, unmount } = render(<Said />)
  await vi.advanceTimersByTimeAsync(30_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([1, 'before'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([2, 'after'])
  unmount()
})

test('while nobody is there, ages are rendered with the first answers after the minute', async () => {
  gatherNews(100)
  onTestFinished(() => gatherNews(0))
  const drawn = vi.fn<() => void>()
  let answer = (): void => undefined
  function Aged() {
    useMinute()
    const [answers, setAnswers] = useState(0)
    answer = () => setAnswers(count => count + 1)
    drawn()
    return <Text>{`${new Date().getUTCMinutes()} ${answers}`}</Text>
  }
  const { lastFrame, unmount } = render(<Aged />)
  const drawing = () => new Promise(done => setImmediate(done))
  await drawing()
  await vi.advanceTimersByTimeAsync(40_000)
  await vi.advanceTimersByTimeAsync(10_000 - (performance.now() % 10_000) + 50)
  together(answer)
  expect(lastFrame()).toBe('0 0')
  await vi.advanceTimersByTimeAsync(60)
  await drawing()
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([2, '1 1'])
  unmount()
})
