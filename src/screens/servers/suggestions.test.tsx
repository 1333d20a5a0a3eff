import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { formKeys, suggestionKeys } from '../../components/form/form-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { promptsKeys, resourcesKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const { take } = suggestionKeys.bindings

let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  ids = { projectId, serverId: (await client.servers.list({ projectId })).items[0]!.id }
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function open(tab: string, listed: RegExp, filter: string): Promise<void> {
  app = await openApp({ testService, place: serversRoute.to({ ...ids, pane: 'detail', tab }) })
  await app.see(listed)
  await app.press(listKeys.bindings.filter)
  await app.type(filter)
  await app.press('enter')
}

test('a server suggests arguments of a prompt, each depending on the others', async () => {
  await open('prompts', /4 listed/, 'completable')
  await app.press(promptsKeys.bindings.render)
  await app.see(/Ctrl\+N: Engineering {2}Sales {2}Marketing {2}Support/)
  await app.type('S')
  await app.see(/Ctrl\+N: Sales {2}Support\s/)
  await app.press(take)
  await app.see(/Ctrl\+N: Support {2}Sales/)
  await app.press(take, take)
  await app.press(formKeys.bindings.next)
  await app.see(/Ctrl\+N: David {2}Eve {2}Frank/)
  await app.press(take, formKeys.bindings.send)
  await app.see('Please promote David to the head of the Sales team.')
})

test('a template is listed with the resources, and read with its variables filled in', async () => {
  await open('resources', /9 listed/, 'dynamic/text')
  await app.see(/Kind +template/)
  await app.press(resourcesKeys.bindings.read)
  await app.see('Read demo://resource/dynamic/text/{resourceId}')
  await app.type('7')
  await app.press(formKeys.bindings.send)
  const read = await app.see('Resource 7: This is a plaintext resource')
  expect(read).toContain('demo://resource/dynamic/text/7')
})

test('the list says if a service does not offer templates', async () => {
  const hosted = await openService({ wrap: answering({ '/capabilities': {} }) })
  const projectId = (await hosted.client.projects.list()).items[0]!.id
  const serverId = (await hosted.client.servers.list({ projectId })).items[0]!.id
  const place = serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'resources' })
  app = await openApp({ testService: hosted, place })
  await app.see(/7 listed, templates in a local workspace only/)
  await hosted.close()
})
