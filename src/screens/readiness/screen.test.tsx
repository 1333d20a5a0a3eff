import { afterEach, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { startHttpServer } from '../../../test/servers/http-server.ts'
import type { Fetch } from '../../api/client/transport/fetch.ts'
import { confirmKeys, tabsKeys } from '../../components/component-keys.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { serverReadinessKeys } from '../servers/bindings.ts'
import { serversRoute } from '../servers/route.ts'
import { readinessKeys } from './bindings.ts'
import { readinessRoute } from './route.ts'

const keys = readinessKeys.bindings
let app: TestApp
let projectId: string
afterEach(() => app.close())

/** Opens the tab of a server over HTTP, or the screen, in a separate project. */
async function open(where: 'tab' | 'screen', overrides: Parameters<typeof startHttpServer>[0] = {}): Promise<void> {
  const server = await startHttpServer(overrides)
  onTestFinished(() => server.close())
  app = await openApp({
    place: async client => {
      projectId = (await client.projects.create({ body: { name: 'Own' } })).id
      const body = { name: 'graded', enabled: true, transportType: 'http' as const, url: server.url }
      const { id: serverId } = await client.servers.create({ projectId, body })
      if (where === 'screen') return readinessRoute.to({ projectId })
      return serversRoute.to({ projectId, serverId, tab: 'readiness', pane: 'detail' })
    },
  })
}

const runs = async () => (await app.client.readiness.list({ projectId })).items

test('a server is graded from its tab, followed to its verdict, and its report cites the rules', async () => {
  await open('tab')
  await app.see('graded was not checked for a directory yet.')
  await app.press(serverReadinessKeys.bindings.add)
  await app.see('Check graded for a directory')
  await app.see('against the rules; that is free.')
  expect(app.frame()).toContain('no model is used, nothing is spent')
  await app.press(formKeys.bindings.send)
  await app.see('graded is being checked.')
  await app.see(/Claude +✗ not ready/)
  await app.press(serverReadinessKeys.bindings.open)
  await app.see('Readiness › graded')
  await app.see('✗ not ready')
  const frame = await app.see(/Directory policy +✗ not ready: \d+ evaluated/)
  expect(frame).not.toMatch(/\b0 (not )?(evaluated|applicable)/)
  expect(frame).not.toContain('x cancel')
  await app.press(tabsKeys.bindings.next)
  await app.see('violated, ')
  await app.see('Rule: Anthropic, Remote MCP server submission guide')
  expect(app.frame()).toContain('https://support.claude.com/')
  // If there is room, failures are shown with the counts.
  await app.press(tabsKeys.bindings.previous)
  await app.resize({ width: 120, height: 50 })
  await app.see(/Verdict +✗ not ready +│[^]*Violated [^]*─ Report ─[^]*violated, /)
  expect(await runs()).toMatchObject([{ readinessKind: 'claude', includeLlmObservations: false }])
})

test('the form asks what would be submitted, and shows costs first, which can be declined', async () => {
  await open('screen')
  await app.see('No server of this project was')
  await app.press(keys.add)
  await app.see('Check graded for a directory')
  await app.press('down', 'tab', 'space')
  await app.see('its provider charges')
  await app.press(formKeys.bindings.send)
  // This workspace has no model: the form says so, and nothing is started.
  await app.see(/│ This needs a model: set/)
  expect(await runs()).toEqual([])
  await app.press('tab', 'space')
  await app.see('nothing is spent')
  await app.press(formKeys.bindings.send)
  await app.see(/OpenAI +✗ not ready/)
  expect(await runs()).toMatchObject([{ readinessKind: 'openai', submissionMode: 'mcp-only' }])
})

test('a running examination is cancelled after a question, and then has no verdict', async () => {
  await open('screen', { 'tools/list': () => undefined })
  await app.see('No server of this project was')
  await app.press(keys.add)
  await app.see('Check graded for a directory')
  await app.press(formKeys.bindings.send)
  await app.see('● running')
  await app.see('Checks appear when the run ends.')
  await app.press(keys.cancel)
  await app.see('Stop checking?')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('The check is cancelled.')
  await app.see('cancelled: no result')
  expect(await runs()).toMatchObject([{ status: 'cancelled' }])
})

test('the report of a run is read when it has ended, even if the run does not say whether it has one', async () => {
  let isRunning = true
  let reads = 0
  const run = { id: 'rdr_1', readinessKind: 'claude', serverUrl: 'https://mcp.example/mcp', createdAt: 0 }
  const testService = await openService({
    wrap: fetch => async request => {
      if (request.url.endsWith('/readiness-runs/rdr_1/report')) {
        reads += 1
        return Response.json({ findings: [] })
      }
      if (!/\/readiness-runs(?:\?|$)/.test(request.url)) return await fetch(request)
      return Response.json({ items: [{ ...run, status: isRunning ? 'running' : 'completed', overallStatus: 'ready' }] })
    },
  })
  onTestFinished(() => testService.close())
  projectId = (await testService.client.projects.list()).items[0]!.id
  app = await openApp({ testService, place: readinessRoute.to({ projectId, pane: 'detail', tab: 'report' }) })
  await app.see('The report is written when the run ends.')
  expect(reads).toBe(0)
  isRunning = false
  await app.see('The report holds no finding.')
})

test('a server without an address says why it cannot be graded', async () => {
  app = await openApp({
    place: async client => {
      projectId = (await client.projects.list()).items[0]!.id
      const serverId = (await client.servers.list({ projectId })).items[0]!.id
      return serversRoute.to({ projectId, serverId, tab: 'readiness', pane: 'detail' })
    },
  })
  await app.see('directories list servers over HTTP')
  await app.press(serverReadinessKeys.bindings.add)
  expect(await runs()).toEqual([])
})

/** Opens the screen on a run that found nothing against a server; `list` replaces the answer to the list of servers. */
async function openReady(
  server: { enabled: boolean },
  list?: (answer: () => ReturnType<Fetch>) => ReturnType<Fetch>,
): Promise<string> {
  const lanes = [{ lane: 'directory-policy', status: 'ready', evaluated: 3 }]
  const stages = [{ stage: 'submission-ready', status: 'ready' }]
  const run = { id: 'rdr_1', readinessKind: 'claude', status: 'completed', overallStatus: 'ready', lanes, stages }
  let serverId = ''
  const testService = await openService({
    wrap: fetch => async request => {
      if (/\/readiness-runs(?:\?|$)/.test(request.url))
        return Response.json({ items: [{ ...run, serverId, createdAt: 0 }] })
      const isList = request.method === 'GET' && /\/servers(?:\?|$)/.test(request.url)
      return isList && list ? await list(() => fetch(request)) : await fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  projectId = (await testService.client.projects.list()).items[0]!.id
  const body = { ...server, name: 'resting', transportType: 'http' as const, url: 'https://mcp.example/mcp' }
  serverId = (await testService.client.servers.create({ projectId, body })).id
  app = await openApp({ testService, place: readinessRoute.to({ projectId, pane: 'detail' }) })
  return serverId
}

const FAULT = () => Response.json({ code: 'INTERNAL', message: 'no' }, { status: 500 })

const SAYS_READY = /✓|\bready\b/

test('no server that is switched off is called ready', async () => {
  const serverId = await openReady({ enabled: false })
  await app.see('off: it meets every rule')
  expect(app.frame()).toMatch(/Directory policy +⊘ no violation: 3 evaluated/)
  expect(app.frame()).toMatch(/Submission +⊘ no violation/)
  expect(app.frame()).not.toMatch(SAYS_READY)
  app.router.go(serversRoute.to({ projectId, serverId, tab: 'readiness', pane: 'detail' }))
  await app.see(/Claude +⊘ off/)
})

test('a server is called ready as soon as it is known to be on, and not before', async () => {
  const asked = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  await openReady({ enabled: true }, async answer => {
    asked.resolve()
    await read.promise
    return await answer()
  })
  await asked.promise
  await app.see('not known: it meets every rule')
  expect(app.frame()).toMatch(/Submission +○ no violation/)
  expect(app.frame()).not.toMatch(SAYS_READY)
  read.resolve()
  await app.see(/Verdict +✓ ready/)
})

test('a server is no longer called ready if the list of servers cannot be read again', async () => {
  let fails = false
  await openReady({ enabled: true }, async answer => (fails ? FAULT() : await answer()))
  await app.see(/Verdict +✓ ready/)
  fails = true
  await app.press(appKeys.bindings.refresh)
  await app.see(/resting +Claude +○ not known/)
  expect(app.frame()).not.toMatch(SAYS_READY)
})

test.each<[string, () => Response]>([
  ['could not be read', FAULT],
  ['does not have it', () => Response.json({ items: [] })],
])('no server is called ready if the list of servers %s', async (_, list) => {
  await openReady({ enabled: true }, async () => list())
  await app.see('not known: it meets every rule')
  await app.see(/Claude +○ not known/)
  expect(app.frame()).not.toMatch(SAYS_READY)
})
