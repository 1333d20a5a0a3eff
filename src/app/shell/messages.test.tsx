import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { createToasts, MOST_MESSAGES } from '../../components/toasts.tsx'
import { projectsRoute } from '../../screens/projects/route.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

let testService: TestService
let app: TestApp

beforeEach(async () => {
  testService = await openService()
  app = await openApp({ testService, place: projectsRoute.to({}) })
  await app.see('▌Sandbox')
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

test('a message that has left the footer is still listed under messages', async () => {
  await app.press(appKeys.bindings.messages)
  await app.see('No messages in this session yet.')
  await app.press('escape')
  await app.press(appKeys.bindings.mouse)
  await app.see('There is no mouse here.')
  await app.press(appKeys.bindings.copyId)
  await app.see(/opied/)
  await app.press(appKeys.bindings.messages)
  await app.see('Messages')
  // The newest are first, each with its time.
  await app.see(/\d\d:\d\d . [^\n]*opied[^]*\d\d:\d\d . There is no mouse here\./)
})

test('the messages of a long session are limited, and the newest are kept', () => {
  const toasts = createToasts()
  for (let count = 0; count < MOST_MESSAGES + 5; count += 1) toasts.show('ok', `message ${count}`)
  toasts.clear()
  expect(toasts.current()).toBeUndefined()
  expect(toasts.messages()).toHaveLength(MOST_MESSAGES)
  expect(toasts.messages()[0]!.text).toBe(`message ${MOST_MESSAGES + 4}`)
})

test('a failure hidden by a success is shown again afterwards, and an older success is not', () => {
  vi.useFakeTimers()
  try {
    const toasts = createToasts()
    const after = (seconds: number): string | undefined => {
      vi.advanceTimersByTime(seconds * 1000)
      return toasts.current()?.text
    }
    toasts.show('warn', 'Nothing was stopped.')
    expect(after(2)).toBe('Nothing was stopped.')
    toasts.show('ok', 'Copied.')
    toasts.show('ok', 'Run #1 passed.')
    expect(after(2)).toBe('Run #1 passed.')
    expect(after(1)).toBe('Nothing was stopped.')
    expect(after(1)).toBeUndefined()
    toasts.show('error', 'It failed.')
    toasts.show('ok', 'Copied.')
    toasts.settle()
    expect(after(0)).toBe('It failed.')
    toasts.clear()
    expect(after(0)).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

test('a notice stays for three seconds, a longer one as long as it takes to read, a failure the longest', () => {
  vi.useFakeTimers()
  try {
    const toasts = createToasts()
    const stays = (tone: 'ok' | 'warn' | 'error', text: string): number => {
      toasts.show(tone, text)
      let seconds = 0
      for (; toasts.current() !== undefined; seconds += 1) vi.advanceTimersByTime(1000)
      return seconds
    }
    expect([stays('ok', 'Copied.'), stays('warn', 'There is no mouse here.')]).toEqual([3, 3])
    expect(stays('warn', 'a sentence '.repeat(20))).toBe(9)
    expect(stays('error', 'It failed.')).toBe(12)
  } finally {
    vi.useRealTimers()
  }
})
