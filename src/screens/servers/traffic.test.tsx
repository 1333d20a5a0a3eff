import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { saveServer } from '../../../test/saved-server.ts'
import { tabsKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { consoleKeys, serversKeys, trafficKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const keys = trafficKeys.bindings
const size = { width: 120, height: 40 }

let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  ids = await saveServer(testService.client, 'talkative')
})
afterAll(() => testService.close())
afterEach(() => app.close())

const call = (toolName: string, parameters = {}) =>
  testService.client.servers.callTool({ ...ids, body: { toolName, parameters } })

async function open(params: Record<string, string>, on = testService): Promise<void> {
  app = await openApp({ testService: on, size, place: serversRoute.to({ ...ids, pane: 'detail', ...params }) })
}

test('messages appear as they pass, the last one stays selected, and each is shown as JSON', async () => {
  await open({ tab: 'traffic' })
  await app.see('Nothing was sent yet.')
  await call('echo', { said: 'first' })
  await app.see(/→ tools\/call/)
  await app.see(/▌\d.*← tools\/call/)
  await app.see(/"text": .*first/)
  await call('echo', { said: 'second' })
  await app.see(/"text": .*second/)
  await app.press(keys.open)
  await app.see('Traffic › tools/call')
  await app.press(tabsKeys.bindings.next)
  await app.see('"method": "tools/call"')
  await app.press(keys.back)
  await app.press(listKeys.bindings.filter)
  await app.type('initialized')
  await app.see('1 of 1/')
  expect(app.frame()).not.toMatch(/→ tools\/call/)
})

test('no messages are added while the list is paused, and clearing removes them', async () => {
  await call('echo', { said: 'before' })
  await open({ tab: 'traffic' })
  await app.see('before')
  await app.press(keys.pause)
  await app.see('Paused; recording continues.')
  await call('echo', { said: 'meanwhile' })
  expect(app.frame()).toMatch(/"text": .*before/)
  await app.press(keys.pause)
  await app.see(/"text": .*meanwhile/)
  await app.press(keys.clear)
  await app.see('Nothing was sent yet.')
})

test('the screen shows the latest of ten thousand notifications and an answer of megabytes', async () => {
  await open({ tab: 'traffic' })
  await call('logs')
  await app.see('Older messages were dropped')
  await app.see('1000 of 1000')
  await call('large')
  await app.see('of them left out')
})

test('the console shows printed text without control characters, and marks stray text on stdout', async () => {
  await open({ tab: 'console' })
  await call('binary')
  await app.see(/! stdout +a banner on std/)
  await app.see(/stderr +last words/)
  await app.see('! 2 lines on stdout, which is reserved')
  expect(app.frame()).not.toMatch(/[\u0000\u001b]\[2J/)
  await app.press(consoleKeys.bindings.clear)
  await app.see('The program has not printed anything yet.')
})

test.each(['traffic', 'console'])('the tab of %s says so when the service does not offer it', async tab => {
  const hosted = await openService({ wrap: answering({ '/capabilities': {} }) })
  const projectId = (await hosted.client.projects.list()).items[0]!.id
  const serverId = (await hosted.client.servers.list({ projectId })).items[0]!.id
  await open({ projectId, serverId, tab }, hosted)
  await app.see('Only in a local workspace')
  await hosted.close()
})

test('for a program that does not start, the list of its tools leads to all its output', async () => {
  const { projectId } = ids
  const args = [fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url)), 'exits']
  const body = { name: 'failing', enabled: true, transportType: 'stdio' as const, command: process.execPath, args }
  const { id: serverId } = await testService.client.servers.create({ projectId, body })
  await open({ tab: 'tools', serverId })
  await app.see('for what its program printed')
  await app.press(serversKeys.bindings.printed)
  await app.see(/stderr.*starting/)
  await app.see(/stderr.*cannot read the config/)
})
