import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/service/harness.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { createDismissedSteps } from '../../domain/next-steps/next-steps.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { confirmKeys, fieldKeys, panesKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { filterKeys, listKeys } from '../../components/list/list-keys.ts'
import { nextStepKeys, projectsKeys } from './bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { projectsRoute } from './route.ts'

const keys = projectsKeys.bindings
let testService: TestService
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  for (const name of ['Zebra', 'Amber']) await testService.client.projects.create({ body: { name } })
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openProjects(params: Record<string, string> = {}): Promise<void> {
  app = await openApp({ testService, place: projectsRoute.to(params) })
  await app.see(/Projects \d of 3/)
}

const chosen = (): string => /│▌(\w+)/.exec(app.frame())?.[1] ?? ''

describe('the projects', () => {
  test('show the contents and rights of the selected one', async () => {
    await openProjects()
    await app.see(/Allowed +all but: delete any/)
    expect(await app.see(/Servers +1/)).toMatch(/Eval suites +1/)
    await app.press(listKeys.bindings.down)
    await app.see(/Servers +0/)
  })

  test('show how the last runs of its suites ended', async () => {
    const { client } = testService
    const project = (await client.projects.list()).items.find(({ name }) => name === 'Sandbox')!
    const input = { projectId: project.id }
    const serverIds = (await client.servers.list(input)).items.map(({ id }) => id)
    const call = { id: 'call', kind: 'toolCall' as const, serverName: 'everything', toolName: 'echo' }
    const text = { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle: 'never said' } }
    const steps = [{ ...call, arguments: { message: 'hello' } }, text]
    const tests = [{ title: 'hears', runs: 1, model: 'none', provider: 'none', steps }]
    const { runId } = await client.runs.create({ ...input, body: { suiteName: 'Quick', serverIds, tests } })
    const read = () => client.runs.get({ ...input, runId })
    await until(read, ({ status }) => isTerminalRunStatus(status))
    await openProjects({ projectId: project.id })
    await app.see(/Latest runs of its suites[^]*✗ failed: Quick, \S+/)
  })

  test('sort by a column, both ways, and keep the selected row', async () => {
    await openProjects()
    await app.press(listKeys.bindings.sort)
    await app.see(/Name↑[^]*Amber[^]*Sandbox[^]*Zebra/)
    await app.press(listKeys.bindings.last)
    expect(chosen()).toBe('Zebra')
    await app.press(listKeys.bindings.reverse)
    await app.see(/▌Zebra[^]*Sandbox[^]*Amber/)
  })

  test('are filtered while typing; Esc clears the filter before it leaves', async () => {
    await openProjects()
    await app.press(listKeys.bindings.filter)
    await app.type('amb')
    await app.see('Projects 1 of 1/3')
    expect(chosen()).toBe('Amber')
    await app.press(fieldKeys.bindings.submit, filterKeys.bindings.clear)
    await app.see(/Projects \d of 3/)
    expect(app.router.current().screen).toBe('projects')
  })

  test('are replaced by a message if a filter hides all of them', async () => {
    await openProjects()
    await app.press(listKeys.bindings.filter)
    await app.type('nothing like it')
    await app.see('Nothing matches “nothing like it”.')
    await app.press(fieldKeys.bindings.cancel)
    await app.see(/Projects \d of 3/)
  })

  test('open at their servers or their runs, and going back returns to the row', async () => {
    const zebra = (await testService.client.projects.list()).items.find(({ name }) => name === 'Zebra')!
    await openProjects({ projectId: zebra.id })
    expect(chosen()).toBe('Zebra')
    await app.press(projectsKeys.bindings.open)
    await app.see('This project has no saved server.')
    await app.press(appKeys.bindings.last)
    await app.see('▌Zebra')
    await app.press(projectsKeys.bindings.runs)
    await app.see('This project has no eval suite.')
    await app.press(appKeys.bindings.last)
    await app.see('▌Zebra')
  })

  test('give the keys to the detail while it has the focus', async () => {
    await openProjects()
    const row = chosen()
    await app.press(panesKeys.bindings.next)
    await app.see(new RegExp(`▌${row} ─`))
    await app.press('j')
    expect(app.row('Projects 1 of 3')).not.toBe('')
  })
})

describe('the next steps of a project', () => {
  const dismissedSteps = createDismissedSteps()
  /** Opens the workspace's new project at 80 columns, with its steps below the list. */
  async function openSandbox(): Promise<void> {
    const { items } = await testService.client.projects.list()
    const { id } = items.find(({ name }) => name === 'Sandbox')!
    const place = projectsRoute.to({ projectId: id })
    app = await openApp({ testService, place, access: { dismissedSteps }, size: { width: 80, height: 24 } })
    await app.see('What you can do now')
  }

  test('open the launch form of a suite that has not run', async () => {
    await openSandbox()
    await app.see('Run the suite “Reference server smoke”.')
    await app.press(nextStepKeys.bindings.run)
    await app.see('Launch Reference server smoke')
    expect(app.router.current().screen).toBe('runs')
  })

  test('check a server on its tab Doctor', async () => {
    await openSandbox()
    await app.see('Run the doctor on the server “everything”.')
    await app.press(nextStepKeys.bindings.examine)
    await app.see(/Doctor[^]*connection/)
    expect(app.router.current().params).toMatchObject({ tab: 'doctor' })
  })

  test('open the tools of a server, one Enter from a call', async () => {
    await openSandbox()
    await app.see('Call a tool of “everything”.')
    await app.press(nextStepKeys.bindings.call)
    await app.see(/▌echo/)
    await app.press('enter')
    await app.see('Call echo')
  })

  test('launch nothing if the suite they name is gone, and say that it is', async () => {
    const { client } = testService
    const { id: projectId } = await client.projects.create({ body: { name: 'Gone' } })
    onTestFinished(async () => void (await client.projects.delete({ projectId })))
    const server = { name: 'one', enabled: true, transportType: 'stdio', command: 'true' } as const
    const { id: serverId } = await client.servers.create({ projectId, body: server })
    const steps = [{ id: 'call', kind: 'toolCall' as const, serverName: 'one', toolName: 'any' }]
    for (const name of ['Alpha', 'Beta'])
      await client.suites.create({
        projectId,
        body: { name, model: 'none', serverIds: [serverId], tests: [{ title: 'calls', steps }] },
      })
    app = await openApp({ testService, place: projectsRoute.to({ projectId }), access: { dismissedSteps } })
    const frame = await app.see(/Run the suite “(?:Alpha|Beta)”/)
    const { items } = await client.suites.list({ projectId })
    const named = items.find(({ name }) => frame.includes(`“${name}”`))!
    await client.suites.delete({ projectId, suiteId: named.id })
    await app.press(nextStepKeys.bindings.run)
    await app.see(/not found/i)
    expect(app.frame()).not.toContain('Launch ')
  })

  test('are dismissed for good with a key', async () => {
    await openSandbox()
    await app.press(nextStepKeys.bindings.dismiss)
    await app.see(frame => !frame.includes('What you can do now'))
    await app.close()
    const { items } = await testService.client.projects.list()
    const { id } = items.find(({ name }) => name === 'Sandbox')!
    app = await openApp({ testService, place: projectsRoute.to({ projectId: id }), access: { dismissedSteps } })
    await app.see('all but: delete any')
    expect(app.frame()).not.toContain('What you can do now')
  })
})

describe('a single project', () => {
  test('that someone else changed is shown with both changes before one replaces the other', async () => {
    await openProjects()
    const { id, name } = await app.client.projects.create({ body: { name: 'Shared' } })
    await app.press(appKeys.bindings.refresh)
    await app.see('Projects 1 of 4')
    await app.press(listKeys.bindings.down)
    while (chosen() !== 'Shared') await app.press(listKeys.bindings.down)
    await app.press(keys.edit)
    await app.see(`Edit ${name}`)
    // Typing replaces the initial text, unless another key comes first.
    await app.press('end')
    await app.type(' mine')
    await app.client.projects.update({ projectId: id, body: { name: 'Shared theirs' } })
    await app.press(formKeys.bindings.send)
    await app.see('Name: was Shared, is now Shared theirs; yours is Shared mine')
    expect((await app.client.projects.list()).items.map(each => each.name)).toContain('Shared theirs')
    await app.press(formKeys.bindings.send)
    await app.see('Changed Shared mine.')
    await app.client.projects.delete({ projectId: id })
  })

  test('is deleted by typing its name as it is shown, whatever characters the name has', async () => {
    const name = 'Dawn\u001B[8m'
    const { id } = await testService.client.projects.create({ body: { name: ` ${name} ` } })
    app = await openApp({ testService, place: projectsRoute.to({ projectId: id }) })
    const shown = clean(name)
    await app.see(/▌ *Dawn/)
    await app.press(keys.remove)
    await app.see(`Type “${shown}” to go on:`)
    await app.type(shown)
    await app.press(fieldKeys.bindings.submit)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Deleted ')
    expect((await app.client.projects.list()).items.map(each => each.id)).not.toContain(id)
  })

  test('whose name has nothing that can be typed is deleted by another word, never by Enter alone', async () => {
    const { id } = await testService.client.projects.create({ body: { name: '\u00A0' } })
    app = await openApp({ testService, place: projectsRoute.to({ projectId: id }) })
    await app.see('4 of 4')
    await app.press(keys.remove)
    await app.see('Type “yes” to go on:')
    await app.press(fieldKeys.bindings.submit)
    await app.see('nothing was typed')
    await app.client.projects.delete({ projectId: id })
  })

  test('is created, changed, and deleted after its name was typed', async () => {
    await openProjects()
    await app.press(keys.add)
    await app.see('New project')
    await app.type('Brook')
    await app.press(formKeys.bindings.send)
    await app.see('Created Brook.')
    await app.see('│▌Brook')
    await app.press(keys.edit)
    await app.see('Edit Brook')
    await app.press('tab')
    await app.type('a quiet one')
    await app.press(formKeys.bindings.send)
    await app.see('Changed Brook.')
    const all = async () => (await app.client.projects.list()).items
    expect((await all()).find(({ name }) => name === 'Brook')).toMatchObject({ description: 'a quiet one' })
    await app.press(keys.remove)
    await app.see('Type “Brook” to go on:')
    await app.type('Brock')
    await app.press(fieldKeys.bindings.submit)
    await app.see('Type “Brook” to go on')
    await app.press(fieldKeys.bindings.clear)
    await app.type('Brook')
    await app.press(fieldKeys.bindings.submit)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('Deleted Brook.')
    await app.see(/Projects \d of 3/)
    expect(app.frame()).toContain('Deleted Brook.')
    expect((await all()).map(({ name }) => name)).not.toContain('Brook')
  })
})
