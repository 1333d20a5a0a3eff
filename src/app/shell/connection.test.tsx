import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { readServiceTime } from '../../api/client/transport/service-time.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { type ApiResponse, plainHeaders } from '../../api/contract/message.ts'
import { panesKeys, restKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

let testService: TestService
let projectId: string
let app: TestApp | undefined
/** Replaces the answer of the service; undefined leaves it unchanged. */
let instead: (path: string, method: string) => ApiResponse | undefined
/** Headers that are added to every answer of the service. */
let also: Record<string, string>
let sent: string[]

const hosted = { openBrowser: async () => undefined }
const TIME = String.raw`\d\d:\d\d`

function answer(status: number, body: string | object, headers: Record<string, string> = {}): ApiResponse {
  const isText = typeof body === 'string'
  const type = { 'content-type': isText ? 'text/html' : 'application/json' }
  return { status, headers: plainHeaders({ ...type, ...headers }), body: isText ? body : JSON.stringify(body) }
}

beforeEach(async () => {
  instead = () => undefined
  also = {}
  sent = []
  testService = await openService({
    wrap: fetch => async request => {
      const { pathname } = new URL(request.url)
      sent.push(`${request.method} ${pathname}`)
      const other = instead(pathname, request.method)
      if (other) return other
      const response = await fetch(request)
      return { ...response, headers: plainHeaders({ ...Object.fromEntries(response.headers), ...also }) }
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await testService.close()
})

const header = (): string => app!.frame().split('\n')[0]!

async function openServers(): Promise<void> {
  app = await openApp({ testService, hosted, place: serversRoute.to({ projectId }) })
  await app.see(/everything +stdio/)
  await app.see(() => header().includes('fresh'))
  await app.see('No calls yet')
}

const REFUSED = answer(401, { code: 'UNAUTHORIZED', message: 'no such key' })
const PORTAL = answer(200, '<!doctype html><title>Sign in to the network</title>')
const GATEWAY = answer(502, '<html>Bad gateway</html>')
const cases: [string, ApiResponse, RegExp, RegExp][] = [
  ['a refused key', REFUSED, /key refused/, /mcp\.example refuses the key; this works with a key/],
  ['a redirect', answer(302, '', { location: 'https://login.example/' }), /redirected/, /redirects to another/],
  ['a captive portal', PORTAL, /web page, not the service/, /A web page answers in place of mcp\.example/],
  ['a portal that refuses', answer(403, '<html>Pay</html>'), /web page, not the service/, /A web page answers/],
  ['a gateway', GATEWAY, new RegExp(`502, no answer since ${TIME}`), /mcp\.example cannot answer now/],
]

describe('the header while answers are missing', () => {
  test.each(cases)(
    'gives the reason for %s, and every action that needs the service waits',
    async (_, response, text, reason) => {
      await openServers()
      instead = () => response
      await app!.press(appKeys.bindings.refresh)
      await app!.see(() => text.test(header()))
      expect(header()).not.toContain('fresh')
      await app!.press('4')
      await app!.press(runsKeys.bindings.launch)
      await app!.see(reason)
      instead = () => undefined
      await app!.press(appKeys.bindings.refresh)
      await app!.see(() => header().includes('fresh'))
    },
  )

  test('says until when the service is unavailable, if the service names a time', async () => {
    await openServers()
    instead = () => answer(503, { code: 'INTERNAL_ERROR', message: 'maintenance' }, { 'retry-after': '900' })
    await app!.press(appKeys.bindings.refresh)
    await app!.see(() => /503 until \d\d:\d\d:\d\d/.test(header()))
    await app!.see('! Read')
  })

  test('says at once that a read waits for its retry', async () => {
    await openServers()
    instead = () => answer(503, { code: 'INTERNAL_ERROR', message: 'busy' }, { 'retry-after': '50' })
    await app!.press(appKeys.bindings.refresh)
    await app!.see(() => /503 until \d\d:\d\d:\d\d/.test(header()))
  })

  test('does not count other reads as failed because one has failed', async () => {
    await openServers()
    instead = path => (path.endsWith('/servers') ? answer(503, { code: 'INTERNAL_ERROR', message: 'no' }) : undefined)
    await app!.press(appKeys.bindings.refresh)
    await app!.see('! Read')
    await app!.press('4')
    await app!.see('Reference server smoke')
    await app!.see(() => header().includes('fresh'))
  })
})

test('a refused key is not used again until the person retries', async () => {
  await openServers()
  instead = () => REFUSED
  await app!.press(appKeys.bindings.refresh)
  await app!.see(() => header().includes('key refused'))
  sent.length = 0
  await expect(testService.client.projects.list({}, { priority: 'visible' })).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  })
  await expect(testService.client.account.me({}, { priority: 'background' })).rejects.toThrow('no such key')
  expect(sent).toEqual([])
  instead = () => undefined
  await app!.press(appKeys.bindings.refresh)
  await app!.see(() => header().includes('fresh'))
  expect((await testService.client.projects.list()).items).not.toHaveLength(0)
})

test('requests that wait for the budget are shown as waiting', async () => {
  const client = createClient({
    fetch: testService.fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: testService.service.localKey,
    budget: createBudget({ capacity: 1, refillPerSecond: 0.01 }),
  })
  app = await openApp({ testService: { ...testService, client }, hosted, place: runsRoute.to({ projectId }) })
  await app.see(() => header().includes('waiting for the budget'))
})

test('the reason for missing answers replaces the gauge in a narrow terminal', async () => {
  const client = createClient({
    fetch: testService.fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: testService.service.localKey,
    budget: createBudget({ capacity: 90, refillPerSecond: 90 }),
  })
  const size = { width: 60, height: 20 }
  app = await openApp({ testService: { ...testService, client }, hosted, size, place: serversRoute.to({ projectId }) })
  await app.see(() => header().endsWith('36+/90 · fresh'))
  instead = () => GATEWAY
  await app.press(appKeys.bindings.refresh)
  await app.see(() => new RegExp(`502, no answer since ${TIME}$`).test(header()))
  expect(header()).not.toContain('/90')
})

test('a write that waits for a busy service shows how long it waits', async () => {
  app = await openApp({ testService, hosted, place: runsRoute.to({ projectId }) })
  await app.see('▌Reference server')
  await app.press(runsKeys.bindings.launch)
  await app.see('As configured')
  instead = (path, method) =>
    method === 'POST' && path.endsWith('/eval-runs')
      ? answer(503, { code: 'INTERNAL_ERROR', message: 'busy' }, { 'retry-after': '45' })
      : undefined
  await app.press(formKeys.bindings.choose, formKeys.bindings.choose)
  await app.see(/● Launching Reference server smoke… 503, repeats in 4\ds/)
})

test.each([
  ['ahead', 2 * 3_600_000, 'clock 2h ahead'],
  ['behind', -3 * 3_600_000, 'clock 3h behind'],
])('a clock that is %s is reported, and the ages of records use the time of the service', async (_, off, words) => {
  also = { date: new Date(Date.now() - off).toUTCString() }
  // All tests in a process share one service time.
  onTestFinished(() => readServiceTime(plainHeaders({ date: new Date().toUTCString() }), Date.now(), Date.now()))
  // Makes the records as old as they would be on a service with that time.
  const aged = (value: unknown): unknown =>
    typeof value === 'number' && value > 1e12
      ? value - off
      : typeof value === 'object' && value !== null
        ? Array.isArray(value)
          ? value.map(aged)
          : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, aged(inner)]))
        : value
  const service = await openService({
    wrap: fetch => async request => {
      const { status, headers, body } = await fetch(request)
      const text = typeof body === 'string' && body !== '' ? JSON.stringify(aged(JSON.parse(body))) : body
      return { status, headers: plainHeaders({ ...Object.fromEntries(headers), ...also }), body: text }
    },
  })
  app = await openApp({
    testService: service,
    hosted,
    place: serversRoute.to({ projectId: (await service.client.projects.list()).items[0]!.id }),
  })
  await app.see(/everything +stdio/)
  await app.see(() => header().includes(words))
  await app.press(panesKeys.bindings.next, restKeys.bindings.show)
  await app.see(/Created +(?:just now|\d+[sm] ago)/)
  await app.close()
  app = undefined
  await service.close()
})
