import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { applyOverrides } from '../../tui/keymap/overrides.ts'
import { allBindings } from './all-bindings.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

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

test('the id, the link and the record of the selected item can be copied', async () => {
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

test('the keys say if nothing is selected', async () => {
  app = await openApp({ testService, place: runsRoute.to({ projectId, pane: 'runs' }) })
  await app.see('This suite has not run yet.')
  await app.press(keys.copyId)
  await app.see('Nothing is chosen.')
  expect(app.copied).toEqual([])
})

test('o opens the place in the hosted UI; without a browser its address is copied', async () => {
  const opened: string[] = []
  const obstacles: string[] = []
  const web = { servers: 'https://app.example/p/{projectId}/servers/{serverId}' }
  const openBrowser = async (url: string) => {
    opened.push(url)
    return obstacles.pop()
  }
  const url = `https://app.example/p/${projectId}/servers/${serverId}`
  app = await openApp({ testService, hosted: { web, openBrowser }, place: serversRoute.to({ projectId, serverId }) })
  await app.see('▌everything')
  await app.press(keys.browser)
  await app.see(/Opened\s+https:\/\/app\.example\/p\/prj_/)
  obstacles.push('There is no desktop here.')
  await app.press(keys.browser)
  await app.see(/There is no desktop here\. Copied the address:\s+https:\/\/app\.example\/p\/prj_/)
  expect(opened).toEqual([url, url])
  expect(app.copied).toEqual([url])
  // The template that made the address also reads it.
  await app.press('2', keys.palette)
  await app.type(`${url}?tab=doctor`)
  await app.see(/▌Open https:.* web page/)
  await app.press('enter')
  await app.see('▌everything')
  expect(app.router.current().params).toMatchObject({ projectId, serverId })
  await app.press('4')
  await app.see('[4 Runs]')
  await app.press(keys.browser)
  await app.see('The setting web of the profile hosted has no address for this place.')
})

test('the keys that open a browser say that the local workspace has nothing to open', async () => {
  app = await openApp({ testService, place: serversRoute.to({ projectId, serverId }) })
  await app.see('▌everything')
  await app.press(keys.browser)
  await app.see('The local workspace has no pages on the web')
})

test('sentences that name a key name the key that it is bound to', async () => {
  const { bindings } = applyOverrides(allBindings, { 'runs.launch': ['ctrl+n'] })
  app = await openApp({ testService, bindings, place: runsRoute.to({ projectId }) })
  await app.see('Press Ctrl+N to launch it.')
})
