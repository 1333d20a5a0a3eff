import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestService } from '../../../test/harness.tsx'
import { formKeys } from '../../components/form/form-keys.ts'
import { toolsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))

let testService: TestService
const sent: string[] = []

beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      sent.push(new URL(request.url).pathname)
      return await fetch(request)
    },
  })
})
afterAll(() => testService.close())

const calls = () => sent.filter(path => path.endsWith('/tools/call')).length

test('arguments that cannot be checked in time are sent unchecked if the same key is pressed again', async () => {
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const program = { transportType: 'stdio' as const, command: process.execPath, args: [small, 'poisons'] }
  const server = await client.servers.create({ projectId, body: { name: 'poison', enabled: true, ...program } })
  const app = await openApp({
    testService,
    place: serversRoute.to({ projectId, serverId: server.id, pane: 'detail', tab: 'tools' }),
  })
  await app.see('1 listed')
  await app.press(toolsKeys.bindings.call)
  await app.see('Call write on poison')
  await app.paste(`${'a'.repeat(40)}!`)
  await app.press(formKeys.bindings.send)
  await app.see('The arguments cannot be checked: checking took longer than 2 s.')
  expect(calls()).toBe(0)
  await app.press(formKeys.bindings.send)
  await app.see('As received')
  expect(app.frame()).toContain('aaaa!')
  expect(calls()).toBe(1)
  await app.close()
})
