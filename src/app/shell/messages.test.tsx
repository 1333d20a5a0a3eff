import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('a message that has left the footer is still among the messages', async () => {
  await app.press(appKeys.bindings.messages)
  await app.see('No messages in this session yet.')
  await app.press('escape')
  await app.press(appKeys.bindings.mouse)
  await app.see('There is no mouse here.')
  await app.press(appKeys.bindings.copyId)
  await app.see(/opied/)
  await app.press(appKeys.bindings.messages)
  await app.see('Messages')
  // The newest stands first, each with its time.
  await app.see(/\d\d:\d\d . [^\n]*opied[^]*\d\d:\d\d . There is no mouse here\./)
})

test('the messages of a long session are bounded, and the newest stay', () => {
  const toasts = createToasts()
  for (let count = 0; count < MOST_MESSAGES + 5; count += 1) toasts.show('ok', `message ${count}`)
  toasts.clear()
  expect(toasts.current()).toBeUndefined()
  expect(toasts.messages()).toHaveLength(MOST_MESSAGES)
  expect(toasts.messages()[0]!.text).toBe(`message ${MOST_MESSAGES + 4}`)
})
