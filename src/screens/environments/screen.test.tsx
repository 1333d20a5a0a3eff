import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { editorOf } from '../../../test/scripted-editor.ts'
import { confirmKeys, tabsKeys } from '../../components/component-keys.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { environmentsKeys, environmentUsesKeys } from './bindings.ts'
import { environmentsRoute } from './route.ts'

const keys = environmentsKeys.bindings
let app: TestApp
let projectId: string
afterEach(() => {
  editor = undefined
  return app.close()
})

let hostId: string
let editor: ReturnType<typeof editorOf> | undefined

/** Opens the screen on a workspace with these environments, which all use one client. */
async function open(...names: string[]): Promise<void> {
  app = await openApp({
    ...(editor && { editor }),
    place: async client => {
      projectId = (await client.projects.list()).items[0]!.id
      const made = await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
      hostId = made.id
      const { id } = (await client.servers.list({ projectId })).items[0]!
      await client.hosts.setServers({ projectId, hostId: made.id, body: { serverIds: [id] } })
      for (const name of names) await client.environments.create({ projectId, body: { name, hostId: made.id } })
      return environmentsRoute.to({ projectId })
    },
  })
  await app.see(/Environments/)
}

const all = async () =>
  (await app.client.environments.list({ projectId, includeArchived: true })).items.toSorted((a, b) =>
    (a.name ?? '').localeCompare(b.name ?? ''),
  )

test('the client of an environment has its name, on whichever page of clients it is', async () => {
  const testService = await openService({
    wrap: fetch => async request => {
      const url = new URL(request.url)
      const isFirst = !url.searchParams.has('cursor')
      if (request.method !== 'GET' || !url.pathname.endsWith('/clients')) return await fetch(request)
      url.searchParams.delete('cursor')
      const response = await fetch({ ...request, url: url.href })
      return isFirst ? { ...response, body: JSON.stringify({ items: [], nextCursor: 'more' }) } : response
    },
  })
  onTestFinished(() => testService.close())
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  const made = await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
  await client.environments.create({ projectId, body: { name: 'Nightly', hostId: made.id } })
  app = await openApp({ testService, place: environmentsRoute.to({ projectId }) })
  await app.see(/Client +Desk/)
})

test('the servers of an environment are below its overview on a small screen', async () => {
  await open('Nightly')
  await app.resize({ width: 80, height: 24 })
  await app.see(/Client +Desk[^]*─ Resolved ─[^]*Servers +everything/)
})

test('environments already listed do not count as changed when the names of their clients arrive', async () => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>()
  const testService = await openService({
    wrap: fetch => async request => {
      if (request.method === 'GET' && new URL(request.url).pathname.endsWith('/clients')) await until
      return await fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  const made = await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
  const { id } = await client.environments.create({ projectId, body: { name: 'Nightly', hostId: made.id } })
  app = await openApp({ testService, place: environmentsRoute.to({ projectId }) })
  await app.see(new RegExp(`Client +${made.id}`))
  answer()
  await app.see(/Client +Desk/)
  expect(app.frame()).not.toMatch(/▌Nightly[^│]*~/)
  await client.environments.update({ projectId, environmentId: id, body: { name: 'Weekly', expectedRevision: 1 } })
  await app.press(appKeys.bindings.refresh)
  await app.see(/▌Weekly[^│]*~/)
})

describe('a project without environments', () => {
  test('an environment is created with a new client in one step, and is then selected', async () => {
    await open()
    await app.see('This project has no environment.')
    await app.press(keys.add)
    await app.see('New environment')
    await app.type('Nightly')
    await app.press('tab', 'tab')
    await app.see('New client…')
    await app.press('down', formKeys.bindings.send)
    await app.see('Template')
    await app.type('Chat')
    await app.press(formKeys.bindings.send)
    await app.see(/Client +Chat/)
    await app.press(formKeys.bindings.send)
    await app.see('Saved Nightly.')
    await app.see('▌Nightly')
    const [environment] = await all()
    const { items } = await app.client.clients.list({ projectId })
    expect(environment).toMatchObject({ name: 'Nightly', hostId: items.find(({ name }) => name === 'Chat')!.id })
  })
})

describe('an environment', () => {
  test('shows what it resolves to, or why nothing can be launched on it', async () => {
    await open('Nightly')
    await app.see(/Client +Desk/)
    await app.press(keys.open, tabsKeys.bindings.next)
    await app.see(/Servers +everything/)
    const { items } = await app.client.clients.list({ projectId })
    const desk = items.find(({ name }) => name === 'Desk')!
    await app.client.clients.delete({ projectId, clientId: desk.id, body: { force: true } })
    await app.press(appKeys.bindings.refresh)
    await app.see('Nothing can be launched on it: The client')
  })

  test('that someone else changed is saved with both changes, after both were shown', async () => {
    await open('Nightly')
    await app.see('▌Nightly')
    await app.press(keys.edit)
    await app.see('Edit Nightly')
    const [stored] = await all()
    const body = { expectedRevision: stored!.revision, description: 'theirs', name: 'Weekly' }
    await app.client.environments.update({ projectId, environmentId: stored!.id, body })
    await app.press('end')
    await app.type(' mine')
    await app.press(formKeys.bindings.send)
    await app.see('It was changed meanwhile, and nothing of yours was sent.')
    await app.see('Name: was Nightly, is now Weekly; yours is Nightly mine and would')
    await app.see('Description: was nothing, is now theirs.')
    expect((await all())[0]).toMatchObject({ name: 'Weekly', description: 'theirs' })
    await app.press(formKeys.bindings.send)
    await app.see('Changed Nightly mine: revision 3.')
    expect((await all())[0]).toMatchObject({ name: 'Nightly mine', description: 'theirs', revision: 3 })
  })

  test('is archived after asking, shown again on demand, and restored', async () => {
    await open('Nightly', 'Weekly')
    await app.see('▌Nightly')
    await app.press(keys.restore)
    await app.see('It is not archived.')
    await app.press(keys.archive)
    await app.see('Archive "Nightly"?')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Nightly is archived.')
    await app.see('▌Weekly')
    await app.press(keys.archived)
    await app.see('Nightly (archived)')
    await app.press('up')
    await app.see('▌Nightly (archived)')
    await app.press(keys.edit)
    await app.see('It is archived; restore it first.')
    await app.press(keys.restore)
    await app.see('Restore "Nightly"?')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Nightly is back: revision 3.')
    expect((await all()).map(({ archived }) => archived ?? false)).toEqual([false, false])
  })
})

const suiteOf = async () => (await app.client.suites.list({ projectId })).items[0]!

describe('the users of an environment', () => {
  test('are listed with it, and lead to their own places', async () => {
    await open('Nightly')
    const environmentId = (await all())[0]!.id
    const { id: suiteId, name } = await suiteOf()
    await app.client.suites.attachEnvironment({ projectId, suiteId, body: { environmentId } })
    await app.client.userTesting.publish({ projectId, environmentId, body: { name: 'Door' } })
    await app.see('▌Nightly')
    await app.press(keys.open, tabsKeys.bindings.next, tabsKeys.bindings.next)
    await app.see(new RegExp(`suite +${name}`))
    await app.see(/scenario +Door/)
    await app.press(environmentUsesKeys.bindings.go)
    await app.see('[4 Runs')
    expect(app.router.current().params).toMatchObject({ projectId, suiteId })
  })

  test('include a nameless environment, which gets a name and stays the same', async () => {
    await open()
    await app.see('This project has no environment.')
    await app.press(keys.name)
    await app.see('uses a nameless environment')
    const { environment } = await app.client.environments.ensureAdhoc({ projectId, body: { hostId, modelId: 'a/b' } })
    const { id: suiteId, name } = await suiteOf()
    await app.client.suites.attachEnvironment({ projectId, suiteId, body: { environmentId: environment.id } })
    await app.press(keys.name)
    await app.see('Name an environment')
    await app.type('Found')
    await app.press('tab', 'tab')
    await app.see(`a/b  used by ${name}`)
    await app.press(formKeys.bindings.send)
    await app.see('Named the environment Found.')
    await app.see('▌Found')
    expect(await all()).toMatchObject([{ id: environment.id, name: 'Found', modelId: 'a/b' }])
  })
})

test('that no nameless environment is used is not a success while some of what may use one cannot be read', async () => {
  const testService = await openService({
    wrap: fetch => async request =>
      request.method === 'GET' && new URL(request.url).pathname.endsWith('/journeys')
        ? Response.json({ code: 'FORBIDDEN', message: 'No.' }, { status: 403 })
        : await fetch(request),
  })
  onTestFinished(() => testService.close())
  projectId = (await testService.client.projects.list()).items[0]!.id
  app = await openApp({ testService, place: environmentsRoute.to({ projectId }) })
  await app.see('This project has no environment.')
  await app.press(keys.name)
  await app.see('! No nameless environment was found in what was read. The journeys were not read:')
})

describe('an environment as a text', () => {
  test('is checked line by line, and changes that someone else made are kept', async () => {
    editor = editorOf(
      text => text.replace('client: Desk', 'client: Disk').replace('name:', 'nom:'),
      text => text.replace('nom:', 'name:').replace('Nightly', 'Weekly'),
      text => text.replace('client: Disk', 'client: Desk'),
    )
    await open('Nightly')
    await app.see('▌Nightly')
    await app.press(keys.editText)
    await app.see('There is no field "nom".')
    const [stored] = await all()
    const body = { expectedRevision: stored!.revision, description: 'theirs' }
    await app.client.environments.update({ projectId, environmentId: stored!.id, body })
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('There is no such client. There are: ')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('name: "Nightly" › "Weekly"')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Someone else changed this meanwhile, and it stays:')
    await app.see('description: + "theirs"')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Changed Weekly.')
    expect(await all()).toMatchObject([{ name: 'Weekly', description: 'theirs', hostId }])
    expect(editor.left()).toEqual([])
  })

  test('whose name is taken is kept with the reason, and removed fields are cleared', async () => {
    editor = editorOf(
      text => text.replace('Nightly', 'Weekly'),
      text => text.replace('Weekly', 'Nightly').replace(/modelId: .*/, ''),
    )
    await open('Nightly', 'Weekly')
    const nightly = (await all())[0]!
    const target = { projectId, environmentId: nightly.id }
    await app.client.environments.update({ ...target, body: { expectedRevision: 1, modelId: 'a/b' } })
    await app.see('▌Nightly')
    await app.press(keys.editText)
    await app.see('name: "Nightly" › "Weekly"')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('is saved; edit it again')
    expect(editor.left()).toHaveLength(1)
    await app.press(keys.editText)
    await app.see('modelId: - "a/b"')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Changed Nightly.')
    expect((await app.client.environments.get(target)).modelId).toBeUndefined()
    expect(editor.left()).toEqual([])
  })
})
