import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { saveServer } from '../../../test/saved-server.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { createClient } from '../../api/client/client.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { callsKeys, resultKeys, toolsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const keys = callsKeys.bindings
const size = { width: 160, height: 40 }

let testService: TestService
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  ids = await saveServer(testService.client, 'talkative')
})
afterAll(() => testService.close())
afterEach(() => app.close())

/** Calls a tool as another program does. */
const call = (toolName: string, parameters = {}) =>
  testService.client.servers.callTool({ ...ids, body: { toolName, parameters } })

/** Opens the tab in a separate session, which remembers nothing of others. */
async function open(on = testService, params: Record<string, string> = ids): Promise<void> {
  const client = createClient({
    fetch: on.fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: on.service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const place = serversRoute.to({ pane: 'detail', tab: 'calls', ...params })
  app = await openApp({ testService: { ...on, client, close: () => Promise.resolve() }, size, place })
}

test('keys that act on a call are offered only while there is one', async () => {
  await open()
  await app.see('No calls yet.')
  const offered = app.active().filter(({ name, unavailable }) => name.startsWith('calls.') && !unavailable)
  expect(offered.map(({ name }) => name)).toEqual([])
})

test('calls of an earlier session are listed, shown and called again, each listed once', async () => {
  await call('echo', { said: 'before' })
  await open()
  await app.see(/✓ answered +call +echo +\{"said":"before"\}/)
  await app.press(keys.show)
  const shown = await app.see('As received')
  expect(shown).toMatch(/Took +\S+/)
  expect(shown).toMatch(/Tool +echo/)
  // The server returns its arguments as JSON, which is laid out as the arguments are.
  expect(shown.match(/"said": "before"/g)).toHaveLength(2)
  await app.press(resultKeys.bindings.again)
  await app.see('Call "echo" again?')
  await app.press('down', 'enter')
  await app.see(/Took +\S+, as the service measured/)
  await app.press(resultKeys.bindings.close)
  await app.press(resultKeys.bindings.close)
  await app.see(frame => frame.split('\n').filter(row => /answered +call +echo/.test(row)).length === 2)
  await call('echo', { said: 'elsewhere' })
})

test('two results are compared by structure: marked ones, or the selected one with the previous one', async () => {
  await call('echo', { said: 'one', same: 1 })
  await call('echo', { said: 'two', same: 1 })
  await open()
  await app.see('"said":"two"')
  await app.press(keys.compare)
  await app.see('No other call has the same arguments.')
  await app.press(listKeys.bindings.mark, listKeys.bindings.down, listKeys.bindings.mark)
  await app.press(keys.compare)
  const compared = await app.see('content[0].text.said')
  expect(compared).toMatch(/- "one"[^]*\+ "two"[^]*Result[^]*- "one"[^]*\+ "two"/)
  expect(compared).not.toMatch(/(text\.|^.*│ +)same /m)
  expect(compared).toMatch(/Earlier +.*echo/)
  await app.press('escape')
  await app.see(frame => !frame.includes('text.said'))
  await app.press('escape')
  await call('echo', { said: 'two', same: 1 })
  await app.see(frame => frame.split('"said":"two"').length === 3)
  await app.press('home', keys.compare)
  await app.see(frame => frame.split('✓ No difference.').length === 3)
  await app.press('escape', 'down', keys.compare)
  await app.see(frame => frame.split('✓ No difference.').length === 3)
})

test('a call is copied as a command or as JSON; copying it as curl is refused if the server is a program', async () => {
  await call('echo', { said: 'copy me' })
  await open()
  await app.see('"said":"copy me"')
  const copyAs = async (downs: number): Promise<void> => {
    await app.press(keys.copyAs)
    await app.see('Copy the call of echo')
    for (let at = 0; at < downs; at += 1) await app.press('down')
    await app.press(formKeys.bindings.send)
  }
  await copyAs(0)
  await app.see('Copied the command.')
  const { projectId } = ids
  expect(app.copied).toEqual([`mcpdeck call --local --project ${projectId} --yes talkative echo 'said=copy me'`])
  await copyAs(1)
  await app.see('this one is a program.')
  await copyAs(2)
  await app.see('Copied the request.')
  const params = { name: 'echo', arguments: { said: 'copy me' } }
  expect(JSON.parse(app.copied[1]!)).toEqual({ method: 'tools/call', params })
})

test('arguments with secrets are typed again instead of being sent as stored', async () => {
  await call('echo', { password: 'correct horse', city: 'Bern' })
  await open()
  await app.see('"password":"[secret]"')
  await app.press(keys.again)
  await app.see('Secrets in the arguments were not stored.')
  await app.press(keys.edit)
  const form = await app.see('Type them again.')
  expect(form).toContain('│   {"city":"Bern"} ')
  await app.press(formKeys.bindings.cancel)
  await app.press(keys.show)
  await app.see('Secrets in the arguments were not stored.')
})

test('the form of a tool starts with the last arguments, and leaving it asks first if they were changed', async () => {
  await call('echo', { said: 'remembered', password: 'correct horse' })
  await open(testService, { ...ids, tab: 'tools' })
  await app.see('4 listed')
  await app.press('end', 'enter')
  await app.see('Call echo on talkative')
  await app.see('Filled in as in the last call.')
  await app.see('│   {"said":"remembered"} ')
  await app.type(' ')
  await app.press(formKeys.bindings.cancel)
  await app.see('filled in')
})

test('all calls are deleted after a question', async () => {
  await call('echo', { said: 'gone soon' })
  await open()
  await app.see('gone soon')
  await app.press(keys.clear)
  await app.see('Forget the calls on "talkative"?')
  await app.press('down', 'enter')
  await app.see('No calls yet.')
  expect((await testService.client.calls.list(ids)).items).toEqual([])
})

test('if the service stores no calls, the list has those of the session and explains that', async () => {
  const hosted = await openService({ wrap: answering({ '/capabilities': {} }) })
  const projectId = (await hosted.client.projects.list()).items[0]!.id
  const serverId = (await hosted.client.servers.list({ projectId })).items[0]!.id
  await open(hosted, { projectId, serverId })
  await app.see('No calls yet.')
  app.router.replace({ tab: 'prompts' })
  await app.see('simple-prompt')
  await app.press('enter')
  await app.see('As received')
  await app.press(resultKeys.bindings.close)
  app.router.replace({ tab: 'calls' })
  await app.see('Calls of this session only: this service stores none.')
  await app.see(/answered +prompt +simple-prompt/)
  await hosted.close()
})

test('a result that violates the output schema of the tool is shown with the error', async () => {
  const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
  const { projectId } = ids
  const command = { command: process.execPath, args: [small, 'promises'] }
  const body = { name: 'promises', enabled: true, transportType: 'stdio' as const, ...command }
  const { id: serverId } = await testService.client.servers.create({ projectId, body })
  await open(testService, { projectId, serverId, tab: 'tools' })
  await app.see('2 listed')
  await app.press(toolsKeys.bindings.call)
  await app.see('The result does not match the tool’s output schema: `count` must be number.')
  await app.press(resultKeys.bindings.close)
  await app.press('end', toolsKeys.bindings.call)
  await app.see('As received')
  await app.press('end')
  expect(app.frame()).not.toContain('does not match')
})
