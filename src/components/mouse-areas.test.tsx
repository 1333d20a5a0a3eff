import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../test/harness.tsx'
import { appKeys } from './everywhere-keys.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { runsKeys } from '../screens/runs/bindings.ts'
import { runsRoute } from '../screens/runs/route.ts'
import { toolsKeys } from '../screens/servers/bindings.ts'
import { serversRoute } from '../screens/servers/route.ts'
import { listKeys } from './list/list-keys.ts'

let testService: TestService
let projectId: string
let serverId: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
  serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
  for (let number = 0; number < 60; number += 1)
    await testService.client.projects.create({ body: { name: `project ${number + 10}` } })
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openRuns(): Promise<void> {
  app = await openApp({ testService, place: runsRoute.to({ projectId }) })
  await app.see('▌Reference server smoke')
}

async function openProjects(): Promise<string[]> {
  app = await openApp({ testService, place: projectsRoute.to() })
  await app.see(/project \d\d/)
  return projectsShown()
}

function projectsShown(): string[] {
  return [...app.frame().matchAll(/^│.(Sandbox|project \d\d)/gm)].map(([, name]) => name!)
}

async function openTools(): Promise<void> {
  app = await openApp({ testService, place: serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'tools' }) })
  await app.see(/\[Tools\][^]*▌echo/)
}

test('a click selects a row, and a second click opens it', async () => {
  const name = (await openProjects())[7]!
  await app.click(name)
  await app.see(`▌${name}`)
  expect(app.router.current().screen).toBe('projects')
  await app.click(`▌${name}`)
  await app.see(`${name} › Servers`)
})

test('a click focuses the pane under it, and the layout stays the same', async () => {
  await openTools()
  const before = app.frame().split('\n')[2]!
  expect(before).toMatch(/╭ Servers.*┬▌everything/)
  await app.click('╭ Servers')
  await app.see(/╭▌Servers.*┬ everything/)
  expect(app.frame().split('\n')[2]!.replaceAll('▌', ' ')).toBe(before.replaceAll('▌', ' '))
})

test('the wheel scrolls the list under it, and the selection moves along at the edge', async () => {
  const before = await openProjects()
  await app.wheel(before[5]!, 'down')
  await app.see(frame => frame.includes(`▌${before[3]}`))
  expect(projectsShown()[0]).toBe(before[3])
  await app.press(listKeys.bindings.down)
  await app.wheel(before[5]!, 'up')
  await app.see(frame => frame.includes(before[0]!))
  expect(app.frame()).toContain(`▌${before[4]}`)
})

test('a click on the name of a tab or a screen opens it', async () => {
  await openTools()
  await app.click('Prompts')
  await app.see('[Prompts]')
  await app.click('Runs')
  await app.see(/\[\d Runs\]/)
  expect(app.router.current()).toMatchObject({ screen: 'runs', params: { projectId } })
})

test('a click selects an answer of a question, and the page below gets no event', async () => {
  await openRuns()
  await app.press(runsKeys.bindings.launch)
  await app.see('As configured')
  const before = app.router.current()
  await app.click('[4 Runs]')
  await app.click('3 Servers')
  expect(app.router.current()).toEqual(before)
  await app.click('Cancel')
  await app.see(frame => !frame.includes('As configured'))
})

test('a click selects an entry of the palette, and the wheel moves through them', async () => {
  await openRuns()
  await app.press(appKeys.bindings.palette)
  await app.see('Palette')
  await app.wheel('Go to Servers', 'down')
  await app.see(frame => !frame.includes('▌Go to Now'))
  await app.click('Go to Servers')
  await app.see('│▌everythi')
  expect(app.router.current().screen).toBe('servers')
})

test('a click selects fields and buttons of a form', async () => {
  await openTools()
  await app.click('get-sum')
  await app.see('▌get-sum')
  await app.press(toolsKeys.bindings.call)
  await app.see(/Call get-sum on everything/)
  await app.see(/▌ a  \(number/)
  await app.click('b  (number')
  await app.see(/▌ b  \(number/)
  await app.type('4')
  await app.click('a  (number')
  await app.type('3')
  await app.click('Call get-sum on everything')
  await app.see('The sum of 3 and 4 is 7.')
})
