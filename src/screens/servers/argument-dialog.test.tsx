import { Text } from 'ink'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestService } from '../../../test/harness.tsx'
import { editorOf } from '../../../test/scripted-editor.ts'
import { confirmKeys, fieldKeys } from '../../components/component-keys.ts'
import { choiceKeys, formKeys } from '../../components/form/form-keys.ts'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { reactSettled } from '../../tui/keymap/react-settled.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { defineRoute } from '../../tui/router/place.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { useArgumentDialog, type ArgumentQuestion } from './argument-dialog.tsx'
import { argumentForm } from './arguments.ts'
import { argumentKeys, toolsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

/** A server that returns its arguments. */
const SERVER = `
const text = { type: 'string' }
const object = (properties, required = []) => ({ type: 'object', properties, required })
const tools = [
  { name: 'send', inputSchema: {
    $defs: { Target: { oneOf: [
      object({ kind: { const: 'mail' }, address: { ...text, pattern: '@', description: 'Where it goes.' } }, ['kind', 'address']),
      object({ kind: { const: 'sms' }, phone: text }, ['kind', 'phone']),
    ] } },
    ...object({ id: { type: 'integer', minimum: 1, description: 'Which one.' }, to: { $ref: '#/$defs/Target' } }, ['id', 'to']),
  } },
  { name: 'label', inputSchema: object({
    tags: { type: 'array', items: text }, note: { type: ['string', 'null'] },
    kinds: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
  }, ['tags']) },
  { name: 'note', inputSchema: object({ tags: { type: 'array', items: text }, note: text }, ['tags']) },
  { name: 'pick', inputSchema: object({
    kinds: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
    each: { type: 'array', items: { enum: ['x', 'y'] }, uniqueItems: true },
  }) },
  { name: 'count', inputSchema: object({ words: { type: 'array', items: { ...text, pattern: '^[a-z]+$' } } }) },
]
const answers = {
  initialize: p => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }),
  'tools/list': () => ({ tools }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  // The arguments as they came, with all digits of their numbers.
  const called = method === 'tools/call' && { content: [{ type: 'text', text: 'got ' + /"arguments":(.*?),?"?(?:name|_meta|$)/.exec(line)?.[1] }] }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: called || answers[method](params) }))
})`

let testService: TestService
let place: ReturnType<typeof serversRoute.to>

beforeAll(async () => {
  testService = await openService()
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const program = { transportType: 'stdio' as const, command: process.execPath, args: ['-e', SERVER] }
  const server = await client.servers.create({ projectId, body: { name: 'sender', enabled: true, ...program } })
  place = serversRoute.to({ projectId, serverId: server.id, pane: 'detail', tab: 'tools' })
})
afterAll(() => testService.close())

const TOOLS = ['send', 'label', 'note', 'pick', 'count'] as const

async function openForm(
  size: { width: number; height: number },
  { editor, tool = 'send' }: { editor?: ReturnType<typeof editorOf>; tool?: (typeof TOOLS)[number] } = {},
) {
  const app = await openApp({ testService, place, size, ...(editor && { editor }) })
  onTestFinished(() => app.close())
  await app.see('5 listed')
  await app.press(...Array.from({ length: TOOLS.indexOf(tool) }, () => 'down'))
  await app.press(toolsKeys.bindings.call)
  await app.see(`Call ${tool} on sender`)
  return app
}

test('all arguments can be edited as text, with errors at their lines, and return to the form', async () => {
  const seen: string[] = []
  const editor = editorOf(
    text => {
      seen.push(text)
      return text.replace('id: 0', 'id: 9007199254740993').replace('address: ""', 'address: nowhere')
    },
    text => {
      seen.push(text)
      return text.replace('address: nowhere', 'address: a@b.example')
    },
  )
  const app = await openForm({ width: 120, height: 40 }, { editor })
  await app.press('ctrl+e')
  await app.see('must match pattern "@"')
  expect(seen[0]).toContain('# integer, required, at least 1. Which one.')
  expect(seen[0]).toContain('id: 0')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('a@b.example')
  expect(seen[1]).toMatch(/#!! line \d+, column \d+: to address must match pattern "@"\n +address: nowhere/)
  expect(editor.left()).toEqual([])
  await app.press(formKeys.bindings.send)
  await app.see('9007199254740993')
})

test('after the variant of a union is selected, its fields appear, and the answer shows what was sent', async () => {
  const app = await openForm({ width: 80, height: 24 })
  await app.see('at least 1. Which one.')
  await app.type('7')
  await app.press(formKeys.bindings.next)
  await app.see('kind: mail')
  await app.press(formKeys.bindings.down)
  await app.see('to.phone')
  await app.press(formKeys.bindings.next)
  await app.type('0123')
  await app.press(formKeys.bindings.send)
  await app.see('got {"id":7,"to":{"kind":"sms","phone":"0123"}}')
})

test('a list is typed or selected, and an empty field is left out or sent as an empty text or null', async () => {
  const app = await openForm({ width: 80, height: 40 }, { tool: 'label' })
  await app.see(/tags +\(string\[\], one per line, required\)/)
  expect(app.frame()).toContain('Alt+Enter begins the next line')
  expect(app.frame()).not.toContain('Ctrl+O')
  await app.paste('two words\n12\n')
  await app.press(formKeys.bindings.next)
  await app.see('left out; Ctrl+O sends an empty text')
  await app.press(argumentKeys.bindings.empty)
  await app.see('sends an empty text; Ctrl+O sends null')
  await app.press(argumentKeys.bindings.empty)
  await app.see('sends null; Ctrl+O leaves it out')
  await app.press(formKeys.bindings.next)
  await app.see(/note +sends null/)
  await app.see(/kinds +left out/)
  await app.press(
    choiceKeys.bindings.last,
    choiceKeys.bindings.pick,
    choiceKeys.bindings.first,
    choiceKeys.bindings.pick,
  )
  await app.see(/kinds +c, a/)
  await app.press(formKeys.bindings.send)
  await app.see('got {"tags":["two words","12"],"note":null,"kinds":["c","a"]}')
  // The next form is prefilled with it. A line break adds an item, and typing replaces everything, as in every field.
  await app.press('escape', toolsKeys.bindings.call)
  await app.see('Filled in as in the last call.')
  await app.press(fieldKeys.bindings.lineBreak)
  await app.type('3')
  await app.press(formKeys.bindings.next)
  await app.see(/tags +two words↵12↵3 /)
  await app.press(formKeys.bindings.previous)
  await app.press(formKeys.bindings.send)
  await app.see('got {"tags":["two words","12","3"]')
  await app.press('escape', toolsKeys.bindings.call)
  await app.see('Filled in as in the last call.')
  await app.type('z')
  await app.press(formKeys.bindings.send)
  await app.see('got {"tags":["z"]')
})

test('a list of choices can contain a choice several times, unless its items are unique', async () => {
  const app = await openForm({ width: 80, height: 40 }, { tool: 'pick' })
  const { more, less, last, pick } = choiceKeys.bindings
  await app.see('→ adds one more of the same')
  await app.press(more, last, pick)
  await app.see(/kinds +a, c/)
  await app.press(choiceKeys.bindings.first, more, more, less)
  await app.see(/kinds +a, c, a/)
  await app.see('[2] a')
  await app.press(choiceKeys.bindings.all)
  await app.see(/kinds +a, b, c/)
  await app.press(choiceKeys.bindings.all, more, last, pick, choiceKeys.bindings.first, more)
  await app.press(formKeys.bindings.next)
  await app.see(/each +left out/)
  await app.press(more)
  await app.see('Each can be chosen once here.')
  await app.press(formKeys.bindings.send)
  await app.see('got {"kinds":["a","c","a"]}')
})

test('leaving asks first if only the meaning of an empty field was changed, but not if that was undone', async () => {
  const app = await openForm({ width: 80, height: 40 }, { tool: 'note' })
  await app.see(/▌ tags/)
  await app.press(formKeys.bindings.next, argumentKeys.bindings.empty)
  await app.see('sends an empty text')
  await app.press(formKeys.bindings.cancel)
  await app.see('Discard what you filled in?')
  await app.press(confirmKeys.bindings.cancel)
  await app.press(argumentKeys.bindings.empty)
  await app.see('left out; Ctrl+O sends an empty text')
  await app.press(formKeys.bindings.cancel)
  await app.see(frame => !frame.includes('Call note on sender'))
  expect(app.frame()).not.toContain('Discard')
})

test('typed text replaces the meaning of an empty field', async () => {
  const app = await openForm({ width: 80, height: 40 }, { tool: 'note' })
  await app.see(/▌ tags/)
  await app.press(formKeys.bindings.next, argumentKeys.bindings.empty)
  await app.see('sends an empty text')
  await app.type('x')
  await app.press(argumentKeys.bindings.empty)
  await app.see('It is filled in; empty it first.')
  await app.press(formKeys.bindings.previous)
  await app.see(/note +x/)
  await app.press(formKeys.bindings.previous)
  await app.see(/tags +sends an empty list/)
  await app.press(formKeys.bindings.send)
  await app.see('got {"tags":[],"note":"x"}')
})

test('an item of a list that the schema refuses is named by its position, counted from one', async () => {
  const app = await openForm({ width: 80, height: 40 }, { tool: 'count' })
  await app.paste('fine\n12')
  await app.press(formKeys.bindings.send)
  await app.see('✗ item 2 must match pattern')
  await app.press(fieldKeys.bindings.clear)
  await app.paste('good')
  await app.press(formKeys.bindings.send)
  await app.see('got {"words":["fine","good"]}')
})

test('the schema stays visible beside the form', async () => {
  const app = await openForm({ width: 140, height: 40 })
  const frame = await app.see('address  string  required')
  expect(frame).toMatch(/▌ id .*\bid {2}integer {2}required/)
  await app.press(formKeys.bindings.next, choiceKeys.bindings.last)
  await app.see('to.phone')
})

test('while the buttons below the fields have the focus, nothing is rendered repeatedly', async () => {
  let drawn = 0
  const question: ArgumentQuestion = {
    title: 'Call it',
    subject: ['it'],
    about: undefined,
    form: argumentForm({ type: 'object', properties: { id: { type: 'string' } } }),
    get effect() {
      drawn += 1
      return []
    },
    act: 'Call it now',
    onSend: () => undefined,
  }
  const askKeys = bindingsOf('asking').screen('asking', 'Asking', { ask: { keys: ['a'], label: 'ask' } })
  const route = defineRoute('asking', 'asking')
  function AskingScreen() {
    const ask = useArgumentDialog()
    useBindings(askKeys, { ask: () => ask(question) })
    return <Text>Ask away.</Text>
  }
  const screen = { route, title: 'Asking', about: 'Asks.', order: 1, goKey: 'a', bindings: [askKeys] }
  const app = await openApp({
    screens: [defineScreen({ ...screen, load: async () => AskingScreen })],
    place: route.to(),
  })
  onTestFinished(() => app.close())
  await app.see('Ask away.')
  await app.press(askKeys.bindings.ask)
  await app.see('▌ id')
  await app.press(formKeys.bindings.previous)
  await app.see('▌ Call it now')
  const before = drawn
  for (let turn = 0; turn < 20; turn += 1) await reactSettled()
  expect(drawn).toBe(before)
})
