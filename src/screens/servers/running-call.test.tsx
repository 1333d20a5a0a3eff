import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { saveServer } from '../../../test/saved-server.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { callsKeys, resultKeys, toolsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  ids = await saveServer(testService.client, 'telling')
})
afterAll(() => testService.close())
afterEach(() => app.close())

test('a running call shows its progress in cleaned words, and is cancelled from the list of calls', async () => {
  app = await openApp({ testService, place: serversRoute.to({ ...ids, pane: 'detail', tab: 'tools' }) })
  await app.see(/\d listed/)
  await app.press(toolsKeys.bindings.call)
  await app.see('Call slow on telling')
  await app.press(formKeys.bindings.send)
  const shown = await app.see('3/10')
  expect(shown).toMatch(/━+─+ 3\/10 .*reading the index/)
  expect(shown).toContain('Progress does not extend')
  expect(shown).not.toContain('\u0007')
  await app.see(/[1-9]s so far/)
  await app.press(resultKeys.bindings.close)
  app.router.replace({ tab: 'calls' })
  await app.see(/● running +call +slow {2}3\/10 .* \d+s/)
  await app.press(callsKeys.bindings.stop)
  await app.see(/⊘ cancelled +call +slow +/)
  await app.press(callsKeys.bindings.show)
  expect(await app.see('⊘ cancelled')).toContain('What the server did until then')
  await app.press(resultKeys.bindings.close)
  expect(app.active().find(({ name }) => name === 'calls.stop')).toMatchObject({
    unavailable: expect.stringContaining('No running call'),
  })
})
