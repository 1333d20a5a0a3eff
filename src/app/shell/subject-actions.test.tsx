import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { appKeys } from './app-keys.ts'

const keys = appKeys.bindings
let testService: TestService
let projectId: string
let serverId: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
  serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

test('the id, the link and the record of what is chosen', async () => {
  app = await openApp({ testService, place: serversRoute.to({ projectId, serverId }) })
  await app.see('▌everything')
  await app.press(keys.copyId)
  await app.see(`Copied the id of the server: ${serverId}`)
  await app.press(keys.copyLink)
  expect(app.copied).toEqual([serverId, `mcpdeck://local/projects/${projectId}/servers/${serverId}`])
  await app.press(keys.raw)
  await app.see(`"id": "${serverId}"`)
  await app.see('"transportType": "stdio"')
  await app.press(textOverlayKeys.bindings.close)
  await app.see(frame => !frame.includes('"transportType"'))
})

test('where nothing is chosen the keys say so', async () => {
  app = await openApp({ testService, place: runsRoute.to({ projectId, pane: 'runs' }) })
  await app.see('This suite has not run yet.')
  await app.press(keys.copyId)
  await app.see('Nothing is chosen.')
  expect(app.copied).toEqual([])
})
