import { describe, expect, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { refusalOf } from '../../src/service/core/refusals.ts'
import { insertSamples } from '../../src/service/samples/insert-samples.ts'
import { open, sandbox, untilEnded, type Api } from './harness.ts'

type Page = { items: unknown[]; nextCursor?: string | null }

/** An answer is a list if its items are required. Lists that only local workspaces have are tested elsewhere. */
const lists = allEndpoints().filter(
  ({ method, response, local }) =>
    !local && method === 'GET' && response.safeParse({ items: [] }).success && !response.safeParse({}).success,
)
const servedLists = lists.filter(endpoint => refusalOf(endpoint) === undefined)

/** A workspace with records in most lists, and the ids for their paths. */
async function filled(): Promise<{ api: Api; ids: Record<string, string> }> {
  const { api, store } = await open({ shape: 'published' })
  const { projectId, suiteId } = await sandbox(api)
  insertSamples(store, Date.now())
  for (const name of ['a', 'b', 'c']) {
    await api.call(contract.clients.create, { projectId, body: { name, config: { modelId: 'm' } } })
    await api.call(contract.projects.create, { body: { name } })
  }
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const one = (page: Page, key = 'id') => String((page.items[0] as Record<string, unknown>)[key])
  const organizationId = one(await api.call(contract.account.organizations))
  const journeyId = one(await api.call(contract.journeys.list, { projectId }))
  const scenarioId = one(await api.call(contract.scenarios.list, { projectId }))
  const ids = { projectId, suiteId, runId, organizationId, journeyId, scenarioId, imageId: 'img_none' }
  const iterationId = one(await api.call(contract.iterations.list, ids))
  return { api, ids: { ...ids, iterationId } }
}

async function page(api: Api, endpoint: AnyEndpoint, ids: Record<string, string>, options: object = {}) {
  const wanted = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, ids[name] ?? '']))
  // The waves of the samples belong to separate runs.
  const journeyRun = ids['journeyRunId'] ?? ''
  const own = endpoint.path.includes('/journey-runs/{runId}') ? { ...wanted, runId: journeyRun } : wanted
  const response = await api.send(endpoint, { ...own, ...options })
  return { status: response.status, body: (await response.json()) as Page }
}

describe('every GET list', () => {
  test('takes a cursor and a limit, as the service document says of collections', () => {
    expect(lists.length).toBeGreaterThan(25)
    for (const { operation, query } of lists)
      expect([operation, query?.safeParse({ cursor: 'c', limit: '1' }).success]).toEqual([operation, true])
  })

  test('returns the same items in pages of one, ignores unknown options, and refuses foreign cursors', async () => {
    const { api, ids } = await filled()
    const { items: journeyRuns } = await api.call(contract.journeyRuns.list, {
      projectId: ids['projectId'],
      journeyId: ids['journeyId'],
    })
    if (journeyRuns[0]) ids['journeyRunId'] = journeyRuns[0].id
    const paged: string[] = []
    for (const endpoint of servedLists) {
      const { operation } = endpoint
      if (operation === 'listSandboxImageBuilds') continue
      const whole = await page(api, endpoint, ids, { previewChars: 80, limitless: 'yes' })
      expect([operation, whole.status]).toEqual([operation, 200])
      const one: unknown[] = []
      let cursor: string | null | undefined
      do {
        const { status, body } = await page(api, endpoint, ids, { limit: 1, ...(cursor && { cursor }) })
        expect([operation, status]).toEqual([operation, 200])
        expect([operation, body.items.length]).toEqual([operation, Math.min(1, whole.body.items.length)])
        one.push(...body.items)
        cursor = body.nextCursor
      } while (cursor && one.length < 5)
      expect([operation, one]).toEqual([operation, whole.body.items.slice(0, one.length)])
      if (whole.body.items.length > 1) paged.push(operation)
      expect([operation, one.length]).toEqual([operation, Math.min(5, whole.body.items.length)])
      if (whole.body.items.length > 0) expect((await page(api, endpoint, ids, { cursor: 'bm9uZQ' })).status).toBe(400)
    }
    expect(paged).toEqual(
      expect.arrayContaining([
        'listProjects',
        'listEvalSuites',
        'listClients',
        'listHosts',
        'listPersonas',
        'listSessions',
      ]),
    )
  })

  test('continues after an item that was deleted meanwhile', async () => {
    const { api } = await open()
    const { projectId } = await sandbox(api)
    const ids: string[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      ids.push((await api.call(contract.clients.create, { projectId, body: { name, config: { modelId: 'm' } } })).id)
    const first = await api.call(contract.clients.list, { projectId, limit: 2 })
    await api.call(contract.clients.delete, { projectId, clientId: first.items[1]!.id })
    const rest = await api.call(contract.clients.list, { projectId, cursor: first.nextCursor! })
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(expect.arrayContaining([ids[0], ids[3]]))
    expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBeGreaterThanOrEqual(3)
  })
})

test('a write refuses options that it does not know', async () => {
  const { api } = await open()
  expect(await api.refused(contract.projects.create, { dry: true, body: { name: 'x' } })).toMatchObject({
    status: 400,
    details: { field: 'dry' },
  })
})
