import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { LIST_BOUNDS } from '../../api/client/pages.ts'
import { appKeys } from '../everywhere-keys.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { readOnKeys } from '../list/list-keys.ts'

let testService: TestService
let projectId: string
let app: TestApp
/** Number of servers on a page of the list. */
let limit: number
/** Replaces the answer to the nth request for the list; `server` is a record to make items from. */
let pageAt: ((nth: number, server: object) => object) | undefined
let server: object
let requests: number

beforeEach(async () => {
  limit = 2
  pageAt = undefined
  requests = 0
  testService = await openService({
    wrap: fetch => async request => {
      const url = new URL(request.url)
      if (request.method !== 'GET' || !url.pathname.endsWith('/servers')) return await fetch(request)
      requests += 1
      if (pageAt) return Response.json(pageAt(requests, server))
      url.searchParams.set('limit', String(limit))
      return await fetch({ ...request, url: url.href })
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  for (const name of ['amber', 'birch', 'cedar', 'dune']) await save(name)
  server = (await testService.client.servers.list({ projectId })).items[0]!
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

async function save(name: string): Promise<void> {
  const body = { name, enabled: true, transportType: 'http' as const, url: `https://${name}.example/mcp` }
  await testService.client.servers.create({ projectId, body })
}

async function open(): Promise<void> {
  app = await openApp({ testService, size: { width: 160, height: 40 }, place: serversRoute.to({ projectId }) })
}

test('a project with more servers than one page shows all of them, even after a refresh', async () => {
  await open()
  await app.see('Servers 1 of 5')
  for (const name of ['everything', 'amber', 'birch', 'cedar', 'dune']) expect(app.frame()).toContain(name)
  expect(app.frame()).not.toContain('there is more')
  await save('elder')
  await app.press(appKeys.bindings.refresh)
  await app.see('Servers 1 of 6')
})

test('an endless list stops at the limits, says that there is more, and continues with a key', async () => {
  requests = 0
  pageAt = (nth, item) => ({ items: [{ ...item, id: `s${nth}`, name: `server ${nth}` }], nextCursor: `c${nth}` })
  await open()
  const { pages } = LIST_BOUNDS
  await app.see(/read \d+ servers, there is more; \+ reads on/)
  const read = requests
  expect(read).toBeGreaterThanOrEqual(pages)
  expect(app.frame()).toContain(`read ${read} servers`)
  await app.press(readOnKeys.bindings.more)
  await app.see(frame => frame.includes('reads on') && !frame.includes(`read ${read} servers`))
  expect(requests).toBeGreaterThanOrEqual(read + pages)
})

test('a list with empty pages is not called empty while it continues', async () => {
  requests = 0
  pageAt = nth => ({ items: [], nextCursor: `c${nth}` })
  await open()
  await app.see('read 0 servers, there is more; + reads on')
  expect(app.frame()).toContain('Nothing on the pages that were read; there are more.')
  expect(app.frame()).not.toContain('This project has no saved server.')
})
