import { afterEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { editorOf } from '../../../test/scripted-editor.ts'
import { configIdOf } from '../../api/contract/clients.ts'
import { confirmKeys, tabsKeys } from '../../components/component-keys.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { clientsKeys } from './bindings.ts'
import { clientsRoute } from './route.ts'

const keys = clientsKeys.bindings
let app: TestApp
let projectId: string
let clientId: string
afterEach(() => app.close())

/** Opens the screen on a client named Desk in a separate project. */
async function open(editor = editorOf()): Promise<void> {
  app = await openApp({
    editor,
    place: async client => {
      projectId = (await client.projects.create({ body: { name: 'Own' } })).id
      clientId = (await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })).id
      return clientsRoute.to({ projectId })
    },
  })
  await app.see('▌Desk')
}

const read = () => app.client.clients.get({ projectId, clientId })
async function agree(): Promise<void> {
  await app.see('❯ Cancel')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
}

test('the overview names the servers of a client', async () => {
  await open()
  const body = { name: 'graphs', enabled: true, transportType: 'http' as const, url: 'https://mcp.example/mcp' }
  const { id } = await app.client.servers.create({ projectId, body })
  const now = await read()
  const changed = { config: { ...now.config, modelId: 'a/b', serverIds: [id] }, expectedConfigId: configIdOf(now)! }
  await app.client.clients.update({ projectId, clientId, body: changed })
  await app.press(appKeys.bindings.refresh)
  await app.see(/Servers +graphs/)
})

test('a client is made from a template, renamed and duplicated', async () => {
  await open()
  await app.press(keys.add)
  await app.see('Template')
  await app.type('Chat')
  await app.press(formKeys.bindings.send)
  await app.see('Saved the client Chat.')
  await app.see('▌Chat')
  await app.press(keys.rename)
  await app.see('Rename Chat')
  await app.press('end')
  await app.type('ting')
  await app.press(formKeys.bindings.send)
  await app.see('Renamed Chat to Chatting.')
  await app.see('▌Chatting')
  await app.press(keys.duplicate)
  await app.see('Saved a copy of Chatting.')
  expect((await app.client.clients.list({ projectId })).items).toHaveLength(3)
})

test('the configuration of a client is edited as YAML, and changes that someone else made are kept', async () => {
  const editor = editorOf(text => text.replace(/modelId: .*/, 'modelId: mine/model'))
  const { edit } = editor
  await open({
    ...editor,
    async edit(file, text) {
      const now = await read()
      const config = { ...now.config, theirs: 'kept', modelId: 'their/model', 'a.b': 1 }
      const expectedConfigId = configIdOf(now)!
      await app.client.clients.update({ projectId, clientId, body: { config, expectedConfigId } })
      return await edit(file, text)
    },
  })
  await app.press(keys.edit)
  await app.see('modelId: "anthropic')
  await agree()
  await app.see('Someone else changed this meanwhile, and it stays:')
  await app.see('theirs: + "kept"')
  await app.see('Someone else changed this too, and yours replaces it:')
  await app.see('› "their/model"')
  await agree()
  await app.see('Changed Desk.')
  expect((await read()).config).toMatchObject({ modelId: 'mine/model', theirs: 'kept', 'a.b': 1 })
  expect(editor.left()).toEqual([])
  await app.press(keys.open, tabsKeys.bindings.next)
  await app.see('"mine/model"')
})

test('an older text that is resumed does not undo later changes by someone else', async () => {
  const editor = editorOf(text => text.replace(/modelId: .*/, 'modelId: mine/model'))
  await open(editor)
  await app.press(keys.edit)
  await app.see('Change "Desk"?')
  await app.press(confirmKeys.bindings.choose)
  await app.see('is saved; edit it again to continue')
  const now = await read()
  const body = { config: { ...now.config, theirs: 'kept' }, expectedConfigId: configIdOf(now)! }
  await app.client.clients.update({ projectId, clientId, body })
  await app.press(keys.edit)
  await app.see('Someone else changed this meanwhile, and it stays:')
  expect(app.frame()).toContain('theirs: + "kept"')
  await agree()
  await app.see('Changed Desk.')
  expect((await read()).config).toMatchObject({ modelId: 'mine/model', theirs: 'kept' })
  expect(editor.left()).toEqual([])
})

test('a client whose servers could not be set is created, and the failure is reported', async () => {
  const testService = await openService({
    wrap: fetch => async request =>
      request.method === 'PATCH'
        ? Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: 403 })
        : await fetch(request),
  })
  app = await openApp({
    testService,
    place: async client => clientsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see('▌Clients')
  await app.press(keys.add)
  await app.see('Template')
  await app.type('Chat')
  await app.press(formKeys.bindings.send)
  await app.see('Saved the client Chat without its servers:')
  await app.see('▌Chat')
})

test('deleting a client names what still refers to it, and asks again', async () => {
  await open()
  await app.client.environments.create({ projectId, body: { name: 'Nightly', hostId: clientId } })
  await app.press(keys.remove)
  await app.see('Delete client "Desk"?')
  await typeTheWord()
  await app.see('Delete client "Desk" anyway?')
  await app.see('Still used by 1 environment, 0 suites.')
  await typeTheWord()
  await app.see('Deleted Desk.')
  await app.see('This project has no client.')
})

async function typeTheWord(): Promise<void> {
  await app.see('Type “delete” to go on:')
  await app.type('delete')
  await app.press('enter')
  await app.see('❯ Cancel')
  await agree()
}
