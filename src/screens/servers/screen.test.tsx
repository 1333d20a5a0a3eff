import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { viewerKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { callsKeys, promptsKeys, resourcesKeys, resultKeys, serversKeys, toolsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
const keys = serversKeys.bindings

let testService: TestService
let projectId: string
let everything: string
let app: TestApp
/** Operations that reached the service, named by the end of their path. */
let sent: string[] = []
/** Bodies of the sent requests, oldest first. */
const bodies: unknown[] = []
let lose = (_path: string): boolean => false

beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      const path = new URL(request.url).pathname
      sent.push(path)
      if (typeof request.body === 'string') bodies.push(JSON.parse(request.body))
      const answer = await fetch(request)
      if (lose(path))
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
      return answer
    },
  })
  const { items } = await testService.client.projects.list()
  projectId = items[0]!.id
  everything = (await testService.client.servers.list({ projectId })).items[0]!.id
})
afterAll(() => testService.close())

beforeEach(() => {
  sent = []
  lose = () => false
})
afterEach(() => app.close())

const reached = (end: string): number => sent.filter(path => path.endsWith(end)).length

async function openServer(params: Record<string, string> = {}): Promise<TestApp> {
  app = await openApp({
    testService,
    place: serversRoute.to({ projectId, serverId: everything, pane: 'detail', ...params }),
  })
  return app
}

/** A server whose every text is malicious. */
const HOSTILE = `
const evil = '\\u001b[2J\\u001b]0;owned\\u0007\\u202e'
const schema = { type: 'object', properties: { ['x' + evil]: { type: 'string', default: evil, description: evil }, p: { type: 'string', pattern: '^(a+)+$' } } }
const tools = [
  { name: 'first', description: evil, inputSchema: schema },
  { name: 'first', description: 'the second of that name', inputSchema: { type: 'object', properties: {} } },
  { name: 'third', inputSchema: { type: 'object', $ref: 'https://nowhere.invalid/s.json' } },
]
const answers = {
  initialize: p => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: evil, version: evil } }),
  'tools/list': () => ({ tools }),
  'tools/call': p => ({ content: [{ type: 'text', text: evil + JSON.stringify(p.arguments) }], isError: true }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }))
})`

async function addServer(name: string, behaviour: string): Promise<string> {
  const server = await testService.client.servers.create({
    projectId,
    body: { name, enabled: true, transportType: 'stdio', command: process.execPath, args: [small, behaviour] },
  })
  return server.id
}

describe('the list of servers', () => {
  test('shows the saved servers and opens one', async () => {
    await openServer({ pane: 'list' })
    expect(await app.see(/everything +stdio +not run/)).toContain('a program over stdio')
    await app.press(keys.open)
    expect(app.router.current().params).toMatchObject({ pane: 'detail', serverId: everything })
    await app.press(keys.back)
    expect(app.router.current().params.pane).toBeUndefined()
    expect(reached('/tools') + reached('/doctor') + reached('/validate')).toBe(0)
  })

  test('shows the servers of the only project if none is selected', async () => {
    app = await openApp({ testService, place: serversRoute.to() })
    await app.see(/everything +stdio[^\n]* not run/)
  })
})

describe('the checks of a server', () => {
  test('include the doctor, which runs on request, reports its steps in order, and is remembered', async () => {
    await openServer({ tab: 'doctor' })
    await app.see('No doctor report on')
    expect(reached('/doctor')).toBe(0)
    await app.press(keys.doctor)
    const report = await app.see('Protocol')
    const steps = [
      'probe',
      'connection',
      'initialization',
      'capabilities',
      'tools',
      'resources',
      'resource templates',
      'prompts',
    ]
    const rows = steps.map(step => report.search(new RegExp(`✓ ${step} +ok +\\S+`)))
    expect(rows).not.toContain(-1)
    expect(rows).toEqual(rows.toSorted((a, b) => a - b))
    expect(app.row('stdio')).toContain('✓ ready')
    await app.press(keys.back, keys.open)
    await app.see('Examined just now')
    expect(reached('/doctor')).toBe(1)
  })

  test('report a broken server with the failed step and the next one', async () => {
    const serverId = await addServer('broken', 'exits')
    await openServer({ serverId, tab: 'doctor' })
    await app.see('No doctor report on')
    await app.press(keys.doctor)
    const report = await app.see('MCP server unreachable')
    expect(report).toContain('✗ error')
    expect(report).toContain('TOKEN is missing')
    expect(report).not.toContain('\u001b')
  })

  test('include validation and the OAuth check, shown in the overview with their time', async () => {
    await openServer()
    await app.see(/Not run\. Press d to check it step by step[^]*Not checked\. Press K to connect once/)
    await app.press(keys.validate)
    await app.see('✓ connected')
    await app.press(keys.checkOAuth, viewerKeys.bindings.pageDown, viewerKeys.bindings.pageDown)
    expect(await app.see('Its settings do not require OAuth')).toMatch(/measured here, just now/)
  })
})

describe('the tools of a server', () => {
  test('are listed when the tab is open, and a call is checked, sent once, and kept', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    expect(reached('/tools')).toBe(1)
    await app.see('message  string  required')
    await app.press(toolsKeys.bindings.call)
    await app.see('Call echo on everything')
    await app.type('hi "there" [')
    await app.press(formKeys.bindings.choose)
    await app.see('▌ Call echo on everything')
    await app.press(formKeys.bindings.choose)
    const result = await app.see('Echo: hi "there" [')
    expect(result).toContain('✓ answered')
    expect(result).toMatch(/Took +\S+, as the service measured/)
    expect(result).toContain('As received')
    await app.press(resultKeys.bindings.close)
    app.router.replace({ tab: 'calls' })
    await app.see(/✓ answered +call +echo/)
    await app.press(callsKeys.bindings.show)
    await app.see('Echo: hi "there" [')
    await app.press(resultKeys.bindings.close)
    expect(reached('/tools/call')).toBe(1)
  })

  test('have arguments that are edited with the keys of readline, and that keep line breaks', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    await app.press(toolsKeys.bindings.call)
    await app.see('Call echo on everything')
    await app.see('Filled in as in the last call.')
    await app.press('end', 'ctrl+u')
    await app.type('Xone two')
    await app.press('ctrl+a', 'delete', 'alt+f', 'ctrl+k', 'end', 'alt+b', 'right', 'ctrl+w', 'ctrl+y', 'end')
    await app.paste('\r\n  two 漢\n')
    await app.press('left', 'left', 'backspace', 'end', 'alt+enter', '!')
    await app.see('one↵')
    await app.see(/│ +!↵/)
    await app.press('up', 'up', 'home', 'delete', 'O', formKeys.bindings.next, formKeys.bindings.previous)
    await app.see('One↵')
    await app.press(formKeys.bindings.send)
    await app.see('As received')
    await app.press(resultKeys.bindings.close)
    expect(bodies.at(-1)).toMatchObject({ parameters: { message: 'One\n  two漢\n!\n' } })
  })

  test('report invalid arguments at their fields, and nothing is sent', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    await app.press('/', ...'two numbers')
    await app.see('a  number  required')
    await app.press('enter', toolsKeys.bindings.call)
    await app.see('Call get-sum on everything')
    await app.type('"x"')
    await app.press(formKeys.bindings.send)
    await app.see('is required: number')
    await app.see('must be number')
    expect(reached('/tools/call')).toBe(0)
    await app.press('backspace', 'backspace', 'backspace', '5', formKeys.bindings.next)
    await app.type('2')
    await app.press(formKeys.bindings.send)
    await app.see('The sum of 5 and 2 is 7.')
    await app.press(resultKeys.bindings.close)
    expect(reached('/tools/call')).toBe(1)
  })

  test('offer choices for an argument with few values, and leave out an optional one', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    await app.press('j', toolsKeys.bindings.call)
    await app.see('(o) error')
    await app.press(formKeys.bindings.down, formKeys.bindings.choose)
    await app.see('(o) false')
    await app.press(formKeys.bindings.up, formKeys.bindings.choose)
    await app.see(/includeImage.*left out/)
    await app.press(formKeys.bindings.choose)
    const result = await app.see('As received')
    expect(result).toContain('"messageType": "success"')
    expect(result).not.toContain('includeImage')
    await app.press(resultKeys.bindings.close)
  })

  test('send the option that is highlighted', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    await app.press('j', toolsKeys.bindings.call)
    await app.see('Filled in as in the last call.')
    await app.press('pageup')
    await app.see('(o) error')
    await app.press('pagedown', formKeys.bindings.down)
    await app.see('This is the last option; Tab goes to the next field.')
    await app.press(formKeys.bindings.next)
    await app.see('(o) left out')
    await app.press(formKeys.bindings.down, formKeys.bindings.down, formKeys.bindings.send)
    const result = await app.see('As received')
    expect(result).toContain('"messageType": "debug"')
    expect(result).toContain('"includeImage": true')
    await app.press(resultKeys.bindings.close)
  })

  test('treat a required yes or no as empty until one is highlighted', async () => {
    const serverId = await addServer('switches', 'switches')
    await openServer({ serverId, tab: 'tools' })
    await app.see('1 listed')
    await app.press(toolsKeys.bindings.call)
    await app.see('Call write on switches')
    expect(app.frame()).not.toContain('(o)')
    await app.press(formKeys.bindings.send)
    await app.see('is required')
    await app.press(formKeys.bindings.down, formKeys.bindings.down, formKeys.bindings.send)
    await app.see(/"dryRun": true/)
    await app.press(resultKeys.bindings.close)
  })

  test('without arguments are called with one key', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    await app.press('/', ...'environment variables')
    await app.see('Takes no arguments')
    await app.press('enter', toolsKeys.bindings.call)
    await app.see(/"PATH"/)
    expect(reached('/tools/call')).toBe(1)
    await app.press(resultKeys.bindings.close)
  })

  test('that may have an effect are reported as unknown if the answer is lost, and are not called again', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    lose = path => path.endsWith('/tools/call')
    await app.press('/', ...'simulated')
    await app.see('Takes no arguments')
    await app.press('enter', toolsKeys.bindings.call)
    expect(await app.see('may have happened')).toContain('! unknown')
    await app.press(resultKeys.bindings.close)
    expect(reached('/tools/call')).toBe(1)
  })

  test('that are declared read-only are not reported as unknown if the answer is lost', async () => {
    await openServer({ tab: 'tools' })
    await app.see('13 listed')
    lose = path => path.endsWith('/tools/call')
    await app.press(toolsKeys.bindings.call)
    await app.see('Call echo on everything')
    await app.press(formKeys.bindings.send)
    expect(await app.see('The connection broke')).not.toContain('may have happened')
  })

  test('can be cancelled while they run, and the list keeps the call', async () => {
    const serverId = await addServer('silent', 'silent-call')
    await openServer({ serverId, tab: 'tools' })
    await app.see('3 listed')
    await app.press(toolsKeys.bindings.call)
    await app.see('Call pid on silent')
    await app.press(formKeys.bindings.send)
    await app.see('Waiting for the tool’s result.')
    await app.press(resultKeys.bindings.stop)
    expect(await app.see('⊘ cancelled')).toContain('is not known')
    await app.press(resultKeys.bindings.close)
    app.router.replace({ tab: 'calls' })
    await app.see(/cancelled +call +pid/)
  })

  test('are read from all pages of the listing', async () => {
    const serverId = await addServer('paged', 'pages')
    await openServer({ serverId, tab: 'tools' })
    expect(await app.see('3 listed')).toContain('tool-2')
    expect(reached('/tools')).toBe(3)
  })

  test('show an error in their own pane, with what to do', async () => {
    const serverId = await addServer('unreachable', 'exits')
    await openServer({ serverId, tab: 'tools' })
    expect(await app.see('MCP server unreachable')).toContain('everything')
  })

  test('refuse a call in a read-only session before the form opens', async () => {
    app = await openApp({
      testService,
      readOnly: true,
      place: serversRoute.to({ projectId, serverId: everything, pane: 'detail', tab: 'tools' }),
    })
    await app.see('13 listed')
    await app.press(toolsKeys.bindings.call)
    await app.see('read-only')
    await app.press(toolsKeys.bindings.raw)
    await app.see('"inputSchema"')
    await app.press(textOverlayKeys.bindings.close)
    expect(reached('/tools/call')).toBe(0)
  })
})

test('the texts of a hostile server cannot draw anything, and its schemas are only data', async () => {
  const body = { name: 'evil\u001b[2J', enabled: true, transportType: 'stdio' as const }
  const program = { command: process.execPath, args: ['-e', HOSTILE] }
  const server = await testService.client.servers.create({ projectId, body: { ...body, ...program } })
  await openServer({ serverId: server.id, tab: 'tools' })
  const safe = (frame: string): void => {
    for (const sign of ['\u001b[2J', '\u001b]0', '\u0007', '\u202e']) expect(frame).not.toContain(sign)
  }
  safe(await app.see('3 listed'))
  await app.press('j')
  safe(await app.see('Takes no arguments.'))
  await app.press('j', toolsKeys.bindings.call)
  safe(await app.see('Not checked before sending'))
  await app.press(formKeys.bindings.cancel, 'g', toolsKeys.bindings.call)
  safe(await app.see('Call first on evil'))
  await app.press(formKeys.bindings.send)
  const result = await app.see('As received')
  safe(result)
  expect(result).toContain('✗ tool error')
  await app.press(resultKeys.bindings.close, keys.doctor)
  safe(await app.see('Protocol'))
})

describe('the prompts and resources of a server', () => {
  test('include a prompt, which is rendered after its arguments were asked for', async () => {
    await openServer({ tab: 'prompts' })
    await app.see('4 listed')
    await app.press(promptsKeys.bindings.render)
    await app.see('Messages')
    await app.press(resultKeys.bindings.close, 'j')
    await app.see('Name of the city')
    await app.press(promptsKeys.bindings.render)
    await app.see('Render args-prompt on everything')
    await app.type('Graz')
    await app.press(formKeys.bindings.send)
    await app.see("What's weather in Graz?")
    await app.press(resultKeys.bindings.close)
    expect(reached('/prompts/get')).toBe(2)
  })

  test('include a resource, which is read', async () => {
    await openServer({ tab: 'resources' })
    await app.see('listed')
    await app.press(resourcesKeys.bindings.read)
    expect(await app.see('Contents')).toContain('✓ answered')
    await app.press(resultKeys.bindings.close)
    expect(reached('/resources/read')).toBe(1)
  })
})
