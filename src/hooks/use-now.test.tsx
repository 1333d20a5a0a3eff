import { Text } from 'ink'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useMinute, useSaidNow } from './use-now.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

beforeEach(
  () =>
    void vi.useFakeTimers({
      now: NOON + 20_000,
      toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    }),
)
afterEach(() => void vi.useRealTimers())

test('what shows ages is drawn again when a minute begins, all of it, and not before', async () => {
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

test('what is said of the time draws only when it says something else', async () => {
  const drawn = vi.fn<() => void>()
  function Said() {
    const text = useSaidNow(now => (now < NOON + 60_000 ? 'before' : 'after'))
    drawn()
    return <Text>{text}</Text>
  }
  const { lastFrame } = render(<Said />)
  await vi.advanceTimersByTimeAsync(30_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([1, 'before'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect([drawn.mock.calls.length, lastFrame()]).toEqual([2, 'after'])
})
