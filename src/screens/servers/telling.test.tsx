import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { formKeys } from '../../components/form/form-keys.ts'
import { createServerNews, type ServerNews } from '../../domain/servers/news.ts'
import { consoleKeys, resourcesKeys, resultKeys, toolsKeys } from './bindings.ts'
import { fieldKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { serversRoute } from './route.ts'

const telling = fileURLToPath(new URL('../../../test/servers/telling-server.mjs', import.meta.url))

let serverNews: ServerNews
let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeEach(async () => {
  serverNews = createServerNews()
  testService = await openService({ onServerNews: serverNews.note })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const command = { command: process.execPath, args: [telling] }
  const body = { name: 'telling', enabled: true, transportType: 'stdio' as const, ...command }
  ids = { projectId, serverId: (await client.servers.create({ projectId, body })).id }
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

const call = (toolName: string) => testService.client.servers.callTool({ ...ids, body: { toolName, parameters: {} } })

async function open(tab: string, size = { width: 120, height: 40 }): Promise<void> {
  const place = serversRoute.to({ ...ids, pane: 'detail', tab })
  app = await openApp({ testService, place, access: { serverNews }, size })
}

test('log messages are in the console by level and logger, and one key selects the level', async () => {
  await open('console')
  await call('log')
  await app.see(/warning +index: /)
  await app.see(/info +{"rows":3}/)
  expect(app.frame()).not.toContain('\u0007')
  await app.press(consoleKeys.bindings.level)
  await app.see('of this level and above')
  await app.press('down', 'down', formKeys.bindings.send)
  await app.see(/warning +telling: logs/)
})

test('a list on screen is read again after a change, once for a thousand notifications', async () => {
  await open('tools')
  await app.see(/ 9 listed/)
  await call('change')
  await app.see(/10 listed, announced 1,000 changes/)
  await app.see('added-1')
  const { content } = await call('lists')
  const times = Number(/listed (\d+) times/.exec(JSON.stringify(content))?.[1])
  // One read at first, one for the first notification, and one for all notifications within the next seconds.
  expect(times).toBeGreaterThanOrEqual(2)
  expect(times).toBeLessThanOrEqual(3)
})

test('a form is checked against the schema that its tool has when it is sent', async () => {
  await open('tools', { width: 640, height: 40 })
  await app.see(/ 9 listed/)
  await app.press(listKeys.bindings.filter)
  await app.type('takes')
  await app.press(fieldKeys.bindings.submit)
  await app.see(/▌takes/)
  await app.press(toolsKeys.bindings.call)
  await app.see('Call takes on telling')
  await app.type('x')
  await call('rename')
  await app.see(/second +string +required/)
  await app.press(formKeys.bindings.send)
  await app.see('The arguments of the tool have changed meanwhile.')
  expect(app.frame()).toContain('second is required')
})

test('a subscribed resource shows how often it was updated, and is read again while it is open', async () => {
  await open('resources')
  await app.see(/ 1 listed/)
  await app.press(resourcesKeys.bindings.subscribe)
  await app.see(/telling:\/\/counter +● 0/)
  await call('touch')
  await app.see(/telling:\/\/counter +● 1/)
  await app.press(resourcesKeys.bindings.read)
  await app.see('version 2')
  await call('touch')
  await app.see('version 3')
  await app.press(resultKeys.bindings.close, resourcesKeys.bindings.subscribe)
  await app.see('The subscription has ended.')
  await app.see(frame => !frame.includes('Updates'))
})

test('subscribing is unavailable with a reason if the server does not support it', async () => {
  const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
  const command = { command: process.execPath, args: [small, 'healthy'] }
  const body = { name: 'small', enabled: true, transportType: 'stdio' as const, ...command }
  const { projectId } = ids
  ids = { projectId, serverId: (await testService.client.servers.create({ projectId, body })).id }
  await open('resources')
  await app.see(/listed|lists no resources/)
  expect(app.active().find(({ name }) => name === 'resources.subscribe')?.unavailable).toMatch(/does not|no resource/)
})
