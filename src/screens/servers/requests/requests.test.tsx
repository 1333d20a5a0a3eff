import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { editorOf } from '../../../../test/scripted-editor.ts'
import { EVERYTHING } from '../../../../test/servers/targets.ts'
import { until } from '../../../../test/service/harness.ts'
import { scriptedModel } from '../../../../test/service/scripted-model.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { confirmKeys } from '../../../components/component-keys.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { formKeys } from '../../../components/form/form-keys.ts'
import { checkArguments, checkSchema } from '../../../domain/servers/arguments-check.ts'
import { createWaitingRequests } from '../../../domain/servers/waiting.ts'
import type { Fetch } from '../../../api/client/transport/fetch.ts'
import type { ModelSettings } from '../../../service/models/endpoint.ts'
import type { EditorHost } from '../../../components/editor/editor-host.ts'
import { callLogOf } from '../../../domain/calls/call-log.ts'
import { callsKeys, requestedKeys, serversKeys, toolsKeys } from '../bindings.ts'
import { serversRoute } from '../route.ts'

const server = fileURLToPath(new URL('../../../../test/servers/asking-server.mjs', import.meta.url))
const size = { width: 100, height: 40 }
const { answer } = appKeys.bindings
const { choose, send, cancel, next } = formKeys.bindings

let testService: TestService
let app: TestApp
let ids: { projectId: string; serverId: string }
let waitingRequests: ReturnType<typeof createWaitingRequests>

beforeEach(() => {
  waitingRequests = createWaitingRequests()
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

/** Opens the dashboard on a server whose requests can be answered. */
async function open(
  args: readonly string[],
  more: {
    editor?: EditorHost
    openBrowser?: (url: string) => Promise<string | undefined>
    hosted?: Parameters<typeof openApp>[0]['hosted']
    models?: ModelSettings
    wrap?: (fetch: Fetch) => Fetch
  } = {},
): Promise<void> {
  const { models, wrap, ...others } = more
  testService = await openService({
    onServerRequests: waitingRequests.note,
    ...(models && { models }),
    ...(wrap && { wrap }),
  })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const body = { enabled: true, transportType: 'stdio' as const, command: process.execPath, args: [...args] }
  ids = { projectId, serverId: (await client.servers.create({ projectId, body: { name: 'asking', ...body } })).id }
  app = await openApp({
    testService,
    size,
    access: { waitingRequests },
    place: serversRoute.to({ ...ids, pane: 'detail', tab: 'tools' }),
    ...others,
  })
  await app.see('listed')
}

/**
 * Occupies the thread that checks forms, one after another, until the limit of this check. The returned function
 * resolves once the forms that wait for it are checked too.
 */
function holdChecks(): () => Promise<void> {
  const endless = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  const held = checkArguments(endless, { a: `${'a'.repeat(60)}!` }, 1000)
  return async () => {
    await held
    await checkSchema({ type: 'object' })
  }
}

/** Calls the selected tool with the initial values of its form. */
async function callTool(name: string): Promise<void> {
  await app.see(name)
  while (!app.row(`▌${name}`)) await app.press('down')
  await app.press(toolsKeys.bindings.call)
  const isOpen = await app.see(new RegExp(`Call ${name} on asking|call ${name} ─`))
  // A tool without arguments is called at once.
  if (isOpen.includes(`Call ${name} on asking`)) await app.press(send)
}

test('a requested form opens with its key, is checked before it is sent, and the call continues with it', async () => {
  await open([EVERYTHING, 'stdio'])
  await callTool('trigger-elicitation-request')
  await app.see('asking asks: Q')
  await app.see('Please provide inputs for the following fields')
  // A key that was pressed for another purpose sends no answer.
  await app.press(choose)
  expect(waitingRequests.current()).toHaveLength(1)
  await app.press(answer)
  await app.see('asks you to fill in a form, for tools/call trigger-elicitation-request.')
  await app.press(send)
  await app.see('This field is required.')
  await app.type('Ada')
  await app.press(next, next, next)
  await app.type('nobody')
  await app.press(send)
  await app.see('is not a valid email')
  await app.paste('@a.example')
  await app.press(send)
  await app.see('Answered asking: accept.')
  await app.see('- Email: nobody@a.example')
  expect(app.frame()).not.toContain('asks')
})

test('a form is answered once if its key is pressed again during the check, and not at all once it is left', async () => {
  const answers: string[] = []
  await open([EVERYTHING, 'stdio'], {
    wrap: fetch => request => {
      if (request.method === 'POST' && request.url.endsWith('/answer')) answers.push(request.url)
      return fetch(request)
    },
  })
  const fillIn = async (): Promise<void> => {
    await app.see('asking asks: Q')
    await app.press(answer)
    await app.see('asks you to fill in a form')
    await app.type('Ada')
    await app.press(next, next, next)
    await app.type('ada@a.example')
  }
  await callTool('trigger-elicitation-request')
  await fillIn()
  const held = holdChecks()
  await app.press(send, cancel, 'down', confirmKeys.bindings.choose)
  await held()
  expect(answers).toEqual([])
  await fillIn()
  const heldAgain = holdChecks()
  await app.press(send, send)
  await heldAgain()
  await app.see('Answered asking: accept.')
  expect(answers).toHaveLength(1)
})

test('an unanswered request stays open, and can be declined or cancelled', async () => {
  await open([server, 'legacy'])
  await callTool('form')
  await app.see('asking asks: Who are you? (Q answers).')
  await app.press(answer)
  await app.see('Your name  (text, required)')
  await app.press(cancel)
  await app.see('asking asks: Q')
  expect(waitingRequests.current()).toHaveLength(1)
  await app.press(answer, next, 'down', send)
  await app.see('"action": "decline"')
  await app.press('q')
  await callTool('form')
  await app.see('asking asks: Q')
  await app.press(answer, next, 'down', 'down', send)
  await app.see('"action": "cancel"')
})

test('an empty text is sent if the person selects it, and leaving then asks', async () => {
  await open([server, 'legacy'])
  await callTool('form')
  await app.see('asking asks: Q')
  await app.press(answer)
  await app.see('Ctrl+O sends an empty text')
  await app.press(requestedKeys.bindings.empty)
  await app.see('sends an empty text; Ctrl+O takes that back')
  await app.press(cancel)
  await app.see('Discard what you filled in?')
  await app.press(confirmKeys.bindings.cancel)
  await app.type('A')
  await app.press(requestedKeys.bindings.empty)
  await app.see('It is filled in; empty it first.')
  await app.press('backspace', requestedKeys.bindings.empty, send)
  await app.see('Answered asking: accept.')
  await app.see('"name": ""')
})

test('a withdrawn request cannot be answered from the form that is still open', async () => {
  await open([server, 'legacy'])
  await callTool('form')
  await app.see('asking asks: Q')
  await app.press(answer)
  await app.type('Ada')
  for (const { stop } of callLogOf(app.client).of(ids.serverId)) stop()
  await app.see('It no longer waits')
  await app.press(send)
  await app.see('Nothing was sent.')
})

test('an address shows its host, and is copied or opened only if the person selects that', async () => {
  const opened: string[] = []
  await open([server, 'legacy'], {
    hosted: {
      openBrowser: async url => {
        opened.push(url)
        return 'This is a remote session without a browser.'
      },
    },
  })
  await callTool('visit')
  await app.see('asking asks: Q')
  await app.press(answer)
  await app.see('Host: xn--pple-43d.example:8443')
  await app.see('The host is not what it may look like: it is shown elsewhere as аpple.example.')
  await app.see('The part before the @ is a user name, not a host.')
  expect(opened).toEqual([])
  await app.press('down', choose)
  expect(app.copied).toEqual(['https://user@xn--pple-43d.example:8443/in?a=1'])
  await app.press('down', choose)
  await app.see('Open xn--pple-43d.example:8443?')
  expect(opened).toEqual([])
  await app.press('down', choose)
  await app.see('This is a remote session without a browser. Copied')
  expect(opened).toEqual(['https://user@xn--pple-43d.example:8443/in?a=1'])
  await app.press(next, 'down', send)
  await app.see('"action": "accept"')
})

test('sampling is answered by hand in the editor, and the answer names a human as its model', async () => {
  await open([server, 'legacy'], { editor: editorOf(() => 'By hand.') })
  await callTool('sample')
  await app.see('asking asks: Q')
  await app.press(answer)
  await app.press(choose)
  await app.see('You are brief.')
  await app.see('small-model')
  await app.press('q', 'down', choose)
  await app.see('By hand.')
  await app.see('The answer names human as its model.')
  await app.press(next, send)
  await app.see('"model": "human"')
})

test('the model answers after a question about its limits, and the server gets only what is sent', async () => {
  const { settings, asked } = await scriptedModel(() => ({ text: 'Drafted.' }))
  await open([server, 'legacy'], { models: { ...settings, model: 'small' } })
  await callTool('sample')
  await app.see('asking asks: Q')
  await app.press(answer, 'down', choose)
  await app.see('It writes 20 tokens at most, once; its endpoint may charge for them.')
  expect(asked).toEqual([])
  await app.press('down', choose)
  await app.see('Drafted.')
  await app.see('The answer names small as its model.')
  expect(asked).toMatchObject([{ system: 'You are brief.', prompts: ['Say a word.'] }])
  expect(waitingRequests.current()).toHaveLength(1)
  await app.press(next, send)
  await app.see('"model": "small"')
})

test('text of a server cannot draw anything, and a long message leaves room for the answer', async () => {
  await open([server, 'legacy'])
  await callTool('hostile')
  await app.see('asking asks: Q')
  await app.press(answer)
  await app.see('click <202E>here␛[31m')
  expect(app.frame()).not.toContain('\u001b]0;')
  await app.see('Send it to asking')
})

test('one of many requests can be selected', async () => {
  await open([server, 'legacy'])
  await callTool('flood')
  await app.see('asking asks 32 things: Q')
  await app.see('refused 968')
  await app.press(answer)
  await app.see('32 requests of servers')
  await app.press(send)
  await app.see('Your name  (text, required)')
  await app.type('Ada')
  await app.press(send)
  await app.see('asking asks 31 things: Q')
})

test('a server gets folders as its roots, and is notified of changes', async () => {
  await open([EVERYTHING, 'stdio'])
  await app.press(serversKeys.bindings.roots)
  await app.see('Roots of asking')
  await app.type('work')
  await app.press(send)
  await app.see('“work” is not an absolute path.')
  await app.press('ctrl+u')
  await app.paste('/srv/a b\nfile:///srv/c')
  await app.press(send)
  await app.see('asking has 2 roots.')
  await callTool('get-roots-list')
  await app.see('file:///srv/a%20b')
  await app.press('q')
  await app.press(serversKeys.bindings.roots)
  await app.see('/srv/c')
  await app.type('2')
  await app.press(send)
  await app.see('asking has 2 roots.')
  // The server reads its roots after it was notified of the change, so a call may arrive before that.
  const asked = { ...ids, body: { toolName: 'get-roots-list', parameters: {} } }
  await until(
    () => testService.client.servers.callTool(asked),
    answered => JSON.stringify(answered).includes('file:///srv/c2'),
  )
  await callTool('get-roots-list')
  await app.see('file:///srv/c2')
})

test('a call that requires a visit opens the address after a question, and is repeated after the visit', async () => {
  const opened: string[] = []
  await open([server, 'legacy'], { openBrowser: async url => void opened.push(url) })
  await callTool('required')
  await app.see('asking asks: Q')
  await app.see('call again afterwards: Sign in first.')
  await app.press(answer)
  const asked = await app.see('asks you to go to an address, for tools/call required.')
  expect(asked).toContain('Host: xn--pple-43d.example:8443')
  expect(asked).toContain('Its call has ended: call again when you are done there.')
  expect(opened).toEqual([])
  await app.press('down', 'down', choose)
  await app.see('Open xn--pple-43d.example:8443?')
  await app.press('down', 'enter')
  await app.see(frame => !frame.includes('Open xn--pple-43d.example:8443?'))
  expect(opened).toHaveLength(1)
  await testService.client.servers.callTool({ ...ids, body: { toolName: 'visited', parameters: {} } })
  await app.see('It no longer waits')
  await app.press(cancel)
  await app.press(callsKeys.bindings.again)
  await app.see('again?')
  await app.press('down', 'enter')
  await app.see('welcome')
})
