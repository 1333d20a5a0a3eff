import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { LIST_BOUNDS } from '../../api/client/pages.ts'
import { contract } from '../../api/contract/contract.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { scenariosKeys } from '../../screens/scenarios/bindings.ts'
import { scenariosRoute } from '../../screens/scenarios/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import type { Place } from '../../tui/router/place.ts'
import { confirmKeys } from '../component-keys.ts'
import { readOnKeys } from '../list/list-keys.ts'

const LISTS = /\/(projects|servers|eval-suites|cases|environments|scenarios|user-testing)$/
const NAMES = ['amber', 'birch', 'cedar', 'dune', 'elder']

let testService: TestService
let projectId: string
let serverId: string
let app: TestApp
/** Replaces the service's answer to a request. */
let instead: ((method: string, path: string) => object | undefined) | undefined

beforeEach(async () => {
  instead = undefined
  testService = await openService({
    wrap: fetch => async request => {
      const url = new URL(request.url)
      const answer = instead?.(request.method, url.pathname)
      if (answer) return Response.json(answer)
      if (request.method !== 'GET' || !LISTS.test(url.pathname)) return await fetch(request)
      url.searchParams.set('limit', '2')
      return await fetch({ ...request, url: url.href })
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

async function open(place: Place): Promise<void> {
  app = await openApp({ testService, size: { width: 200, height: 50 }, place })
}

async function makeProjects(): Promise<void> {
  for (const name of NAMES) await testService.client.projects.create({ body: { name } })
}

async function makeSuite(name: string, cases: readonly string[]): Promise<string> {
  const tests = cases.map(title => ({
    title,
    steps: [{ id: 'call', kind: 'toolCall' as const, serverName: 'everything', toolName: 'echo', arguments: {} }],
    runs: 1,
    model: 'none',
    provider: 'none',
  }))
  const body = { name, model: 'none', provider: 'none', serverIds: [serverId], tests }
  return (await testService.client.suites.create({ projectId, body })).suiteId
}

async function makeEnvironments(): Promise<string[]> {
  const { client } = testService
  const body = { name: 'desk', config: { modelId: 'small', serverIds: [serverId] } }
  const { id: hostId } = await client.clients.create({ projectId, body })
  const made = []
  for (const name of NAMES) made.push((await client.environments.create({ projectId, body: { name, hostId } })).id)
  return made
}

function expectAll(): void {
  for (const name of NAMES) expect(app.frame()).toContain(name)
  expect(app.frame()).not.toContain('there is more')
}

describe('a list with more than one page', () => {
  test('shows all projects, even if one is selected', async () => {
    await makeProjects()
    await open(projectsRoute.to({}))
    await app.see(/Projects \d of 6/)
    expectAll()
    await app.close()
    await open(serversRoute.to({}))
    await app.see(/Choose a project +6/)
    expectAll()
  })

  test('shows all servers and suites counted for a project', async () => {
    for (const name of NAMES) await makeSuite(name, ['one'])
    await open(projectsRoute.to({ projectId }))
    await app.see(/Eval suites +[6-9]\b/)
  })

  test('shows all suites', async () => {
    for (const name of NAMES) await makeSuite(name, ['one'])
    await open(runsRoute.to({ projectId }))
    await app.see(/Suites \d of [5-9]/)
    expectAll()
  })

  test('shows all cases of a suite', async () => {
    const suiteId = await makeSuite('long', NAMES)
    await open(runsRoute.to({ projectId, suiteId, middle: 'cases', pane: 'runs' }))
    await app.see(/Cases \d of 5/)
    expectAll()
  })

  test('shows all scenarios', async () => {
    for (const environmentId of await makeEnvironments())
      await testService.client.userTesting.publish({ projectId, environmentId, body: { mode: 'invited_only' } })
    await open(scenariosRoute.to({ projectId }))
    await app.see(/Scenarios \d of 5/)
    expectAll()
  })

  test('shows all environments that can be published', async () => {
    await makeEnvironments()
    await open(scenariosRoute.to({ projectId }))
    await app.see('Nothing is published')
    await app.press(scenariosKeys.bindings.publish)
    await app.see('Publish an environment')
    expectAll()
  })

  test('shows all cases and servers that a launch may choose', async () => {
    for (const name of NAMES) {
      const url = `https://${name}.example/mcp`
      await testService.client.servers.create({ projectId, body: { name, enabled: true, transportType: 'http', url } })
    }
    const suiteId = await makeSuite('long', ['a', 'b', 'c', 'd', 'e'])
    await open(runsRoute.to({ projectId, suiteId }))
    await app.see('long')
    await app.press(runsKeys.bindings.launch)
    await app.see('5 cases × 1 trial each')
    for (let field = 0; field < 12 && !app.frame().includes('▌ Servers'); field += 1) await app.press('tab')
    await app.see('elder')
    expectAll()
  })
})

describe('a list that never ends', () => {
  const lists: [noun: string, path: RegExp, place: (suiteId: string) => Place][] = [
    ['project', /\/projects$/, () => projectsRoute.to({})],
    ['suite', /\/eval-suites$/, () => runsRoute.to({ projectId })],
    ['case', /\/cases$/, suiteId => runsRoute.to({ projectId, suiteId, middle: 'cases', pane: 'runs' })],
    ['scenario', /\/(scenarios|user-testing)$/, () => scenariosRoute.to({ projectId })],
  ]
  test.each(lists)('stops at the limits and continues with a key (%s)', async (noun, path, place) => {
    const { client } = testService
    const suiteId = await makeSuite('first', ['one'])
    const [environmentId = ''] = noun === 'scenario' ? await makeEnvironments() : []
    if (environmentId) await client.userTesting.publish({ projectId, environmentId, body: { mode: 'invited_only' } })
    const first = {
      project: async () => (await client.projects.list()).items[0],
      suite: async () => (await client.suites.list({ projectId })).items[0],
      case: async () => (await client.cases.list({ projectId, suiteId })).items[0],
      scenario: async () => (await client.scenarios.list({ projectId })).items[0],
    }
    const item = await first[noun as keyof typeof first]()
    let reads = 0
    instead = (method, at) => {
      if (method !== 'GET' || !path.test(at)) return undefined
      reads += 1
      // The first item keeps its id, so that what depends on it exists.
      return { items: [{ ...item, ...(reads > 1 && { id: `i${reads}` }) }], nextCursor: `c${reads}` }
    }
    await open(place(suiteId))
    await app.see(new RegExp(`read \\d+ ${noun}s, there is more; \\+ reads on`))
    const read = Number(new RegExp(`read (\\d+) ${noun}s`).exec(app.frame())?.[1])
    expect(read).toBeGreaterThanOrEqual(LIST_BOUNDS.pages)
    await app.press(readOnKeys.bindings.more)
    await app.see(
      frame => Number(new RegExp(`read (\\d+) ${noun}s, there`).exec(frame)?.[1]) >= read + LIST_BOUNDS.pages,
    )
  })
})

test('a scenario on a later page does not count as unpublished', async () => {
  const { client } = testService
  for (const environmentId of await makeEnvironments())
    await client.userTesting.publish({ projectId, environmentId, body: { mode: 'invited_only' } })
  const all = await client.items(contract.scenarios.list, { projectId })
  const last = all.at(-1)!
  instead = method => (method === 'DELETE' ? { id: last.id, deleted: true } : undefined)
  await open(scenariosRoute.to({ projectId, scenarioId: last.id }))
  await app.see(/elder +invited +elder/)
  await app.press(scenariosKeys.bindings.unpublish)
  await app.see('offline?')
  await app.type('unpublish')
  await app.press('enter')
  await app.see('❯ Cancel')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('still listed')
  expect(app.frame()).not.toContain('it is not listed')
})
