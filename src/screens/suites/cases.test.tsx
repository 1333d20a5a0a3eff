import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import {
  confirmKeys,
  fieldKeys,
  panesKeys,
  restKeys,
  textSearchKeys,
  viewerKeys,
} from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { editorOf } from '../../../test/scripted-editor.ts'
import { runsKeys } from '../runs/bindings.ts'
import { runsRoute } from '../runs/route.ts'
import { casesKeys, outcomesKeys, settingsKeys, suitesKeys } from './cases-keys.ts'

const keys = casesKeys.bindings
let testService: TestService
let projectId: string
let serverId: string
let app: TestApp
const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-cases-'))

beforeAll(async () => {
  testService = await openService({ onServerRequests: () => undefined })
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  serverId = (await client.servers.list({ projectId })).items[0]!.id
})
afterAll(async () => {
  await testService.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => app.close())

let made = 0
/** Creates a suite of cases with these messages, and opens the screen at its cases. */
async function openCases(messages: string[], editor = editorOf(), params: Record<string, string> = {}) {
  made += 1
  const name = `Authored ${made}`
  const tests = messages.map(message => ({
    title: `Says ${message}`,
    steps: [
      { id: 'call', kind: 'toolCall' as const, serverName: 'everything', toolName: 'echo', arguments: { message } },
    ],
  }))
  const body = { name, serverIds: [serverId], model: 'none', tests }
  const { suiteId } = await testService.client.suites.create({ projectId, body })
  const place = runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases', ...params })
  app = await openApp({ testService, place, editor })
  return { suiteId, name, editor }
}
const LATER = 'Leave it for later'
const casesOf = async (suiteId: string) => (await testService.client.cases.list({ projectId, suiteId })).items

async function agree(action: string, decline = 'Cancel'): Promise<void> {
  await app.see(`❯ ${decline}`)
  await app.press(confirmKeys.bindings.next)
  await app.see(`❯ ${action}`)
  await app.press(confirmKeys.bindings.choose)
}

test('the cases are listed with their steps, and the selected one is described beside them', async () => {
  await openCases(['one', 'two'])
  await app.see(/▌Says one +— +1 /)
  await app.press(panesKeys.bindings.zoom)
  await app.see(/▌Says one +— +1 1 call /)
  await app.press(panesKeys.bindings.zoom)
  await app.press(listKeys.bindings.down)
  await app.press('enter')
  await app.see('call everything: echo')
  await app.see('"message": "two"')
})

test('the ids of a case are folded into one line, which a search, a click and keys unfold', async () => {
  const { suiteId } = await openCases(['one'])
  const { id } = (await casesOf(suiteId))[0]!
  await app.see(/▌Says one/)
  await app.press('enter')
  await app.see(/▸ Ids and other fields: \d+ {2}\(> shows them\)/)
  expect(app.frame()).not.toContain(id)
  await app.press(viewerKeys.bindings.search)
  await app.type(id)
  await app.press('enter')
  await app.see(/\/\w+ {2}1 of 1/)
  await app.see(new RegExp(`▾ Ids and other fields[^]*Id +${id}`))
  await app.press(textSearchKeys.bindings.end)
  await app.press(restKeys.bindings.hide)
  await app.see(frame => !frame.includes(id))
  await app.click('▸ Ids and other fields')
  await app.see(id)
  await app.press(viewerKeys.bindings.copy)
  expect(app.copied.at(-1)).toContain(id)
})

test('the cases of another suite start at the first one, whichever was selected before', async () => {
  await openCases(['one', 'two', 'three'])
  await app.see('Says three')
  await app.press(listKeys.bindings.last)
  await app.see('▌Says three')
  await app.press(panesKeys.bindings.previous, listKeys.bindings.first)
  await app.see(/Reference server smoke[^]*▌Echo gives the message back/)
})

test('each of a hundred new cases has its own result, and failed ones can be corrected separately', async () => {
  const editor = editorOf(
    text =>
      `${text.replace('name-of-the-tool', 'echo').replace('arguments: {}', 'arguments: { message: hi }')}---\ntitle: Twin\nsteps:\n  - { id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: one } }\n`,
    text => text.replace('message: one', 'message: another'),
  )
  const { suiteId } = await openCases(['one'], editor)
  await app.see('▌Says one')
  await app.press(keys.add)
  await app.see('Cases: 1 created, 1 failed')
  // The summary leaves the keys of the question in place.
  await app.see(/Cases: 1 created, 1 failed\.[^\n]*╯\n[^\n]*correct the failed/)
  await app.see('DUPLICATE_CONTENT')
  await app.see('The service says')
  await app.press(outcomesKeys.bindings.correct)
  await app.see('1 created.')
  expect(editor.texts[1]).toMatch(/#!! line \d+, column 8: DUPLICATE_CONTENT[^\n]*\ntitle: Twin/)
  expect(editor.texts[1]).not.toContain('What this case is about')
  expect((await casesOf(suiteId)).map(({ title }) => title).toSorted()).toEqual([
    'Says one',
    'Twin',
    'What this case is about',
  ])
  expect(editor.left()).toEqual([])
})

test('duplicates can be sent again under another policy with a reason, and are kept otherwise', async () => {
  const twin = (text: string) => text.replace('(copy)', '(twin)')
  const { suiteId, editor } = await openCases(['one'], editorOf(twin))
  await app.see('▌Says one')
  await app.press(keys.duplicate)
  await app.see('DUPLICATE_CONTENT')
  await app.press(outcomesKeys.bindings.resend)
  await app.see('policy  (required)')
  await app.press(formKeys.bindings.next)
  await app.type('on purpose')
  await app.press(formKeys.bindings.send)
  await app.see('✓ created  Says one (twin)')
  // A case that was created needs no advice on how to create it.
  expect(app.frame()).not.toContain('change it, or send it')
  await app.press(outcomesKeys.bindings.close)
  expect((await casesOf(suiteId)).map(({ title }) => title)).toContain('Says one (twin)')
  expect(editor.left()).toEqual([])
  await app.press(keys.duplicate)
  await app.see('Nothing was changed.')
})

/** Marks the first two of three cases and types the word that deletes them, without confirming. */
async function deleteTwo(): Promise<string> {
  const { suiteId } = await openCases(['one', 'two', 'three'])
  await app.see('▌Says one')
  await app.press(listKeys.bindings.mark, listKeys.bindings.down, listKeys.bindings.mark)
  await app.press(keys.remove)
  await app.see('Type “delete”')
  await app.type('delete')
  await app.press('enter')
  return suiteId
}

test('marked cases are deleted together after a word was typed', async () => {
  const suiteId = await deleteTwo()
  await agree('Delete 2 cases')
  await app.see('2 cases deleted.')
  expect(await casesOf(suiteId)).toHaveLength(1)
})

test('if someone else deleted one of the marked cases, the others are still deleted', async () => {
  const suiteId = await deleteTwo()
  await app.see('❯ Cancel')
  const [first] = await casesOf(suiteId)
  await testService.client.cases.delete({ projectId, suiteId, caseId: first!.id })
  await agree('Delete 2 cases')
  await app.see('2 cases deleted, 1 of them by someone else.')
  expect((await casesOf(suiteId)).map(({ title }) => title)).toEqual(['Says three'])
})

test('a change of a suite that CI manages is refused with the reason, and the typed text is kept', async () => {
  const body = {
    suiteName: 'Owned',
    declaredSuiteId: 'owned',
    results: [{ caseTitle: 'one', caseId: 'one', passed: true }],
  }
  await testService.client.evalIngest.report({ projectId, body })
  const { items } = await testService.client.suites.list({ projectId })
  const suiteId = items.find(({ name }) => name === 'Owned')!.id
  const editor = editorOf(text => text.replace('title: one', 'title: mine'))
  app = await openApp({
    testService,
    place: runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases' }),
    editor,
  })
  await app.see('▌one')
  await app.press(keys.edit)
  await agree('Send the change')
  await app.see(/Suite owned by CI[^]*is\s+saved;/)
  expect(editor.left()).toHaveLength(1)
})

test('generating cases without a model says what to do', async () => {
  await openCases(['one'])
  await app.see('▌Says one')
  await app.press(keys.generate)
  await app.see('one of the day’s generations')
  await app.press(formKeys.bindings.send)
  await app.see(/needs a model|no model|configure/i)
})

test('settings send only what differs, and the schedule and environments have forms', async () => {
  const warmer = (text: string): string => text.replace(/^model: none$/m, 'model: none\ntemperature: 0.5')
  const { suiteId } = await openCases(['one'], editorOf(warmer), { middle: 'settings' })
  await app.see('Thresholds')
  await app.press(settingsKeys.bindings.edit)
  await app.see('temperature: + 0.5')
  await agree('Send the change')
  await app.see('Changed ')
  expect((await testService.client.suites.get({ projectId, suiteId })).executionConfig).toMatchObject({
    temperature: 0.5,
  })
  await app.press(settingsKeys.bindings.schedule)
  await app.see('(o) off')
  await app.press(formKeys.bindings.up, formKeys.bindings.choose)
  await app.type('60')
  await app.press(formKeys.bindings.send)
  await app.see('The suite runs every 60 minutes.')
  await app.press(settingsKeys.bindings.detach)
  await app.see('No environment is attached.')
})

test('detaching an environment keeps what was attached meanwhile, and names a schedule that loses its target', async () => {
  const { client } = testService
  const { suiteId } = await openCases(['one'], editorOf(), { middle: 'settings' })
  const host = await client.clients.create({ projectId, body: { name: 'Detaching', template: 'claude' } })
  const target = { projectId, suiteId }
  const attach = async (name: string) => {
    const { id } = await client.environments.create({ projectId, body: { name, hostId: host.id } })
    await client.suites.attachEnvironment({ ...target, body: { environmentId: id } })
    return id
  }
  const first = await attach('First')
  await client.hosts.setServers({ projectId, hostId: host.id, body: { serverIds: [serverId] } })
  await client.suites.schedule({ ...target, body: { enabled: true, intervalMinutes: 60, environmentId: first } })
  await app.see('Thresholds')
  await app.press(settingsKeys.bindings.detach)
  await app.see('Detach an environment')
  await app.press(formKeys.bindings.send)
  await app.see('The schedule of the suite names it')
  const later = await attach('Later')
  await agree('Detach First')
  await app.see('First is detached; the schedule names it and has to be set again.')
  expect((await client.suites.get(target)).environmentIds).toEqual([later])
  await client.suites.schedule({ ...target, body: { enabled: false } })
})

test('a suite is exported to a file, imported again, and deleted after a word was typed', async () => {
  const { suiteId, name } = await openCases(['one'], editorOf(), { pane: 'suites' })
  const file = join(folder, 'suite.yaml')
  await app.see(`▌${name}`)
  await app.press(suitesKeys.bindings.exportFile)
  await app.see('Write the file')
  await app.press(fieldKeys.bindings.clear)
  await app.type(file)
  await app.press(formKeys.bindings.send)
  await app.see('suite.yaml.')
  writeFileSync(join(folder, 'rows.jsonl'), '{"title": "Says more"}\n')
  const filled = "title: '{{title}}'\n    each: { file: rows.jsonl }"
  writeFileSync(file, readFileSync(file, 'utf8').replace('title: Says one', filled))
  await app.press(suitesKeys.bindings.importFile)
  await app.see('Read the file')
  await app.type(file)
  await app.press(formKeys.bindings.send)
  await app.see('1 case to change')
  await agree('Send the changes')
  await app.see('matches the file; cases: 1 changed.')
  expect(await casesOf(suiteId)).toMatchObject([{ title: 'Says more' }])
  await app.press(suitesKeys.bindings.remove)
  await app.see('Type “delete”')
  await app.type('delete')
  await app.press('enter')
  await agree(`Delete ${name}`)
  await app.see(`${name} deleted.`)
  await until(
    () => testService.client.suites.list({ projectId }),
    ({ items }) => items.every(({ id }) => id !== suiteId),
  )
})

test('a setting that the file leaves out but the service keeps is no match', async () => {
  const { suiteId, name } = await openCases(['one'], editorOf(), { pane: 'suites' })
  const body = { executionConfig: { temperature: 0.5 } }
  await testService.client.suites.update({ projectId, suiteId, body })
  const file = join(folder, 'without.yaml')
  await app.see(`▌${name}`)
  await app.press(suitesKeys.bindings.exportFile)
  await app.see('Write the file')
  await app.press(fieldKeys.bindings.clear)
  await app.type(file)
  await app.press(formKeys.bindings.send)
  await app.see('without.yaml.')
  const imported = async (text: string) => {
    writeFileSync(file, text)
    await app.press(suitesKeys.bindings.importFile)
    await app.see('Read the file')
    await app.type(file)
    await app.press(formKeys.bindings.send)
  }
  const without = readFileSync(file, 'utf8').replace(/^ *temperature: .*\n/m, '')
  await imported(without)
  await app.see('There is nothing else to change; temperature stays: it cannot be removed over the API.')
  await imported(without.replace('title: Says one', 'title: Says more'))
  await app.see('1 case to change')
  await agree('Send the changes')
  await app.see('is changed; cases: 1 changed; temperature stays: it cannot be removed over the API.')
})

test('a new suite starts from a tool of a server', async () => {
  const editor = editorOf(text =>
    text
      .replace('name: everything suite', 'name: Brand new')
      .replace("message: ''", 'message: hi')
      .replace('message: ""', 'message: hi'),
  )
  await openCases(['one'], editor, { pane: 'suites' })
  await app.see('▌Authored')
  await app.press(suitesKeys.bindings.add)
  const offered = await app.see('(o) echo  Echoes back')
  // The tools that a server shows only to clients that answer its requests are not available in runs.
  const { items: attended } = await testService.client.servers.tools({ projectId, serverId })
  const { tools } = await testService.client.servers.export({ projectId, serverId })
  expect(attended.length).toBeGreaterThan(tools.length)
  expect(offered).toContain(`1 of ${tools.length}`)
  await app.press(formKeys.bindings.choose)
  await app.see('tool  echo  (required)')
  await app.press(formKeys.bindings.choose)
  await agree('Create the suite')
  await app.see('Brand new is created; cases: 1 created.')
  const suite = (await testService.client.suites.list({ projectId })).items.find(({ name }) => name === 'Brand new')!
  expect(await casesOf(suite.id)).toMatchObject([
    { title: 'echo answers', steps: [{ toolName: 'echo' }, { kind: 'assert' }] },
  ])
  expect(editor.left()).toEqual([])
})

test('a suite that cannot be created says why at the line, and is created once that is fixed', async () => {
  const editor = editorOf(
    text =>
      text
        .replace('name: everything suite', 'name: Mended')
        .replace(/^  model: .*$/m, '')
        .replace(/- id: call[^]*arguments:[^-]*/, '- { id: ask, kind: prompt, prompt: Say hello. }\n      '),
    text => text.replace('name: Mended', 'name: Mended\n  model: my/model'),
  )
  await openCases(['one'], editor, { pane: 'suites' })
  await app.see('▌Authored')
  await app.press(suitesKeys.bindings.add)
  await app.see('(o) echo  Echoes back')
  await app.press(formKeys.bindings.choose)
  await app.see('tool  echo  (required)')
  await app.press(formKeys.bindings.choose)
  await app.see(/line \d+, column \d+: A new suite needs a model/)
  await agree('Open the editor again', LATER)
  await agree('Create the suite')
  await app.see('Mended is created')
  expect(editor.texts[1]).toMatch(/#!! line \d+, column \d+: A new suite needs a model[^\n]*\n\s*name: Mended/)
  expect(editor.left()).toEqual([])
})

test('a case with a warning can be sent anyway, and a refusal is shown at its line', async () => {
  const broken = (text: string) =>
    text
      .replace('steps:', 'steps:\n  - { id: nothing, kind: assert }')
      .replace('toolName: echo', 'toolName: trigger-sampling-request')
  const { suiteId, editor } = await openCases(
    ['one'],
    editorOf(broken, text =>
      text
        .replace('  - { id: nothing, kind: assert }\n', '')
        .replace('trigger-sampling-request', 'echo')
        .replace('one', 'uno'),
    ),
  )
  await app.see('▌Says one')
  await app.press(keys.edit)
  await app.see('This assert step needs "assertion".')
  expect(app.frame()).toContain('"everything" has no tool')
  await app.press(confirmKeys.bindings.choose)
  await agree('Send it as it is', LATER)
  await agree('Send the change')
  await app.see('The service refused it: steps.0.assertion')
  await agree('Open the editor again', LATER)
  await agree('Send the change')
  await app.see('Changed ')
  expect(editor.texts[1]).toMatch(/#!! line \d+, column \d+: The service refused it: steps\.0\.assertion/)
  expect((await casesOf(suiteId))[0]!.steps).toHaveLength(1)
})

test('a launch from the cases runs the marked ones, and opens its run', async () => {
  const { suiteId } = await openCases(['one', 'two', 'three'])
  await app.see('▌Says one')
  await app.press(listKeys.bindings.mark, listKeys.bindings.down, listKeys.bindings.mark)
  await app.press(runsKeys.bindings.launch)
  await app.see('the 2 marked cases')
  await app.press(formKeys.bindings.send)
  await app.see(/Run #1 .* passed/)
  const { items } = await testService.client.runs.list({ projectId, suiteId })
  expect(items).toMatchObject([{ summary: { total: 2 } }])
})
