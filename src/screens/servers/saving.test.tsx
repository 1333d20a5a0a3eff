import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { commandLineOf } from '../../../test/command-line-of.ts'
import { guardedServer } from '../../../test/service/guarded-server.ts'
import { confirmKeys, fieldKeys } from '../../components/component-keys.ts'
import { choiceKeys, formKeys } from '../../components/form/form-keys.ts'
import { serversKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
const keys = serversKeys.bindings
const secret = 'hunter2-very-secret'

let testService: TestService
let projectId: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openServer(params: { serverId: string; tab?: string }): Promise<void> {
  app = await openApp({ testService, place: serversRoute.to({ projectId, pane: 'detail', ...params }) })
}

async function addServer(name: string, behaviour: string, env?: Record<string, string>): Promise<string> {
  const program = { command: process.execPath, args: [small, behaviour], ...(env && { env }) }
  const body = { name, enabled: true, transportType: 'stdio' as const, ...program }
  return (await testService.client.servers.create({ projectId, body })).id
}

async function environmentOf(serverId: string): Promise<string> {
  const body = { toolName: 'environment', parameters: {} }
  return JSON.stringify(await testService.client.servers.callTool({ projectId, serverId, body }))
}

test('a new server is saved by its command, a refused value is asked for again, and it can be removed', async () => {
  app = await openApp({ testService, place: serversRoute.to({ projectId }) })
  await app.see('▌everything')
  await app.press(keys.add)
  await app.see('Address or command')
  await app.press(formKeys.bindings.cancel)
  await app.see(frame => !frame.includes('Address or command'))
  await app.press(keys.add)
  await app.see('Address or command')
  await app.paste('ever\nything\n')
  await app.see('line breaks; they became spaces')
  await app.press('ctrl+a', 'alt+f', 'delete')
  await app.press(formKeys.bindings.next)
  await app.type('localhost:1/mcp')
  await app.press(formKeys.bindings.send)
  await app.see('An address begins with http:// or https://.')
  await app.press(fieldKeys.bindings.clear)
  await app.type('GREETING="good day" node ./server.js --quiet')
  await app.see('This machine runs node whenever')
  await app.press(formKeys.bindings.send)
  await app.see('Another server has the name everything; choose another one.')
  expect(app.frame()).toContain('node ./server')
  await app.press(formKeys.bindings.cancel)
  await app.see('Discard what you filled in?')
  await app.press(confirmKeys.bindings.choose)
  await app.see(frame => !frame.includes('Discard'))
  await app.type(' too')
  await app.press(formKeys.bindings.send)
  await app.see('Saved everything too. d examines it.')
  const { items } = await testService.client.servers.list({ projectId })
  const { id } = items.find(({ name }) => name === 'everything too')!
  expect(app.router.current().params['serverId']).toBe(id)
  await app.press(keys.remove)
  await app.see('Remove server "everything too"?')
  await app.type('remove')
  await app.press(fieldKeys.bindings.submit, confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Removed everything too.')
  expect((await testService.client.servers.list({ projectId })).items.some(server => server.id === id)).toBe(false)
})

test('a saved server is edited in the same form, which names other changes, and the doctor runs again', async () => {
  const serverId = await addServer('in need', 'exits', { TOKEN: secret })
  await openServer({ serverId, tab: 'doctor' })
  await app.see('No doctor report on')
  await app.press(keys.doctor)
  await app.see('TOKEN is missing')
  await app.press(keys.edit)
  await app.see('Nothing is changed yet.')
  await app.press(fieldKeys.bindings.clear)
  await app.type('mended')
  await app.press(formKeys.bindings.next)
  expect(await app.see('Left empty, the command stays.')).not.toContain('stdio-server')
  await app.type(commandLineOf(process.execPath, small))
  await app.see('This machine runs')
  await app.see('Left behind unless given again: its stored environment.')
  await app.press(formKeys.bindings.next)
  await app.type(`TOKEN=${secret}`)
  await app.see(frame => !frame.includes('Left behind'))
  await app.press(formKeys.bindings.send)
  await app.see('Changed mended.')
  expect(await app.see('Protocol')).toContain('✓ ready')
  expect(await environmentOf(serverId)).toContain(secret)
  await app.press(keys.edit, ...Array<typeof formKeys.bindings.next>(6).fill(formKeys.bindings.next))
  await app.see('Its environment is emptied')
  await app.press(choiceKeys.bindings.pick)
  expect(await app.see('[x]')).not.toContain(secret)
  await app.press(formKeys.bindings.send)
  await app.see(frame => !frame.includes('Edit mended') && frame.includes('✓ ready'))
  expect(await environmentOf(serverId)).not.toContain(secret)
})

test('a server with a stored command shows it with dots, and an edit keeps the hidden values', async () => {
  const serverId = await addServer('known', 'healthy', { TOKEN: secret, OTHER: 'else' })
  const { store } = testService.service
  const storedReaches = {
    async of(id: string) {
      const { command, args, env, headers } = store.servers.find(id)!.secrets
      return { command, args, env, headers }
    },
  }
  const place = serversRoute.to({ projectId, pane: 'detail', serverId, tab: 'overview' })
  app = await openApp({ testService, place, access: { storedReaches } })
  expect(await app.see('TOKEN=••••, OTHER=••••')).toContain('healthy')
  await app.press(keys.edit)
  await app.see('Nothing is changed yet.')
  await app.press(formKeys.bindings.next, 'end')
  await app.type(' more')
  await app.press(formKeys.bindings.next)
  expect(await app.see('OTHER=••••')).not.toContain(secret)
  await app.press('end', 'alt+enter')
  await app.type('NEW=1')
  await app.press(formKeys.bindings.send)
  await app.see('Changed known.')
  expect(store.servers.find(serverId)!.secrets).toMatchObject({
    args: [small, 'healthy', 'more'],
    env: { TOKEN: secret, OTHER: 'else', NEW: '1' },
  })
})

test('values stored for another address are dropped, and the person is told so', async () => {
  const body = { name: 'remote', enabled: true, transportType: 'http' as const, url: 'http://127.0.0.1:9/mcp' }
  const { id } = await testService.client.servers.create({ projectId, body })
  await openServer({ serverId: id })
  await app.see(/Address +http:\/\/127\.0\.0\.1:9\/mcp/)
  await app.press(keys.edit, formKeys.bindings.next, 'end')
  await app.type('2')
  await app.see('connects to http://127.0.0.1:9/mcp2')
  await app.see('Left behind unless given again: its stored headers.')
  await app.press(fieldKeys.bindings.clear)
  await app.type('http://localhost:9/mcp')
  await app.press(formKeys.bindings.next, formKeys.bindings.next, formKeys.bindings.next)
  await app.type('t')
  await app.see(frame => !frame.includes('Left behind'))
  await app.press(formKeys.bindings.cancel)
  await app.see('Discard what you filled in?')
  await app.press(confirmKeys.bindings.cancel)
  await app.see(frame => !frame.includes('Discard'))
  expect(app.frame()).toContain('http://localhost:9/mcp')
  await app.press(formKeys.bindings.cancel, confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see(frame => !frame.includes('localhost:9'))
})

test('a server is switched off after a question, and on again', async () => {
  const serverId = await addServer('switched', 'healthy')
  await openServer({ serverId, tab: 'tools' })
  await app.see('3 listed')
  await app.press(keys.doctor)
  await app.see(/switched +stdio ✓ ready/)
  await app.press(keys.enabled)
  await app.see('Switch "switched" off?')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('switched is off. t switches it on again.')
  await app.see(/switched +stdio ⊘ off/)
  // The check of a switched-off server still gets an answer, and does not make the server ready.
  await app.press(keys.doctor)
  await app.see('Every check passed, but it is switched off')
  expect(app.frame()).toMatch(/switched +stdio ⊘ off/)
  expect(app.frame()).not.toContain('ready')
  app.router.replace({ tab: 'tools' })
  expect(await app.see(/✗ switched is switched off\.[^]*Press t to switch it on\./)).not.toContain('environment')
  app.router.replace({ tab: 'overview' })
  await app.press(keys.validate)
  await app.see('✗ Switched off')
  await app.press(keys.enabled)
  await app.see('switched is on.')
  app.router.replace({ tab: 'tools' })
  await app.see('3 listed')
  app.router.replace({ tab: 'prompts' })
  await app.see('This server offers no prompts.')
})

test('tokens are imported for a server that requires authorization, and are not shown again', async () => {
  const guarded = await guardedServer()
  const body = { name: 'guarded', enabled: true, transportType: 'http' as const, url: guarded.url }
  const { id } = await testService.client.servers.create({ projectId, body })
  await openServer({ serverId: id, tab: 'doctor' })
  await app.see('No doctor report on')
  await app.press(keys.doctor)
  await app.see('sign in, import OAuth tokens')
  await app.press(keys.importTokens)
  await app.see('Import tokens for guarded')
  await app.type('token-0')
  await app.press('up', 'up', 'up')
  await app.type('s')
  await app.see('A client secret needs')
  await app.press(formKeys.bindings.send)
  await app.see(/Client secret +given, not shown/)
  await app.press(formKeys.bindings.previous, formKeys.bindings.previous, formKeys.bindings.previous)
  await app.press(fieldKeys.bindings.clear, formKeys.bindings.send)
  expect(await app.see('Imported tokens for guarded.')).not.toContain('token-0')
  expect(await app.see('Protocol')).toContain('✓ ready')
})
