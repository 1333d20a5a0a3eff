import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { pathParameters } from '../../api/contract/endpoint.ts'
import { documentedOperations, readOpenApi } from '../../../test/contract/openapi.ts'
import { endpointOf, type Listing, listItems } from './listing.ts'
import { NOUNS, nounOf } from './nouns.ts'

const [PAGE, RUNS] = [100, 103]

let testService: TestService
let fields: { projectId: string; suiteId: string }
let isLocal = true
beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      const answer = await fetch(request)
      return request.url.includes('/capabilities') && !isLocal ? { ...answer, body: '{}' } : answer
    },
  })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const body = { suiteName: 'Nightly', results: [{ caseTitle: 'Answers', passed: true }] }
  for (let run = 0; run < RUNS; run += 1) await client.evalIngest.report({ projectId, body })
  const suite = (await client.suites.list({ projectId })).items.find(({ name }) => name === 'Nightly')!
  fields = { projectId, suiteId: suite.id }
})
afterAll(() => testService.close())

/** Returns the number of different runs listed, and the number at which the service is said to stop. */
async function list(options: Partial<Listing>, most = Infinity): Promise<[number, number?]> {
  const ids = new Set<unknown>()
  let cut: number | undefined
  const onCut = (page: number): void => {
    cut = page
  }
  for await (const { id } of listItems({
    client: testService.client,
    noun: nounOf('runs')!,
    fields,
    onCut,
    ...options,
  }))
    if (ids.add(id).size === most) break
  return [ids.size, cut]
}

test('older runs are read if all or many are wanted, and filtered rows do not count toward the limit', async () => {
  expect(await list({})).toEqual([PAGE, PAGE])
  expect(await list({ limit: 2 }, 2)).toEqual([2, undefined])
  expect(await list({ all: true })).toEqual([RUNS, undefined])
  expect(await list({ limit: PAGE + 1 }, PAGE + 1)).toEqual([PAGE + 1, undefined])
  expect(await list({ limit: 1, isFiltered: true })).toEqual([RUNS, undefined])
})

test('the output says that a service without older runs lists only its latest ones', async () => {
  isLocal = false
  const { fetch, service } = testService
  const budget = createBudget({ unlimited: true })
  const client = createClient({ fetch, baseUrl: `http://hosted.invalid${API_PREFIX}`, key: service.localKey, budget })
  expect(await list({ client, all: true })).toEqual([PAGE, PAGE])
})

/** A project in which all features are on. */
const OPEN = { projectId: 'some', can: {}, features: {} }

test('a list request has a limit only if the contract states a largest page, and never exceeds it', async () => {
  const published = new Map(documentedOperations(readOpenApi()).map(each => [each.operation, each.parameters]))
  for (const noun of NOUNS) {
    const endpoint = endpointOf(noun.list)
    const sent: (string | null)[] = []
    const client = createClient({
      fetch({ url }) {
        const { pathname, searchParams } = new URL(url)
        sent.push(searchParams.get('limit'))
        return Promise.resolve(Response.json(pathname.endsWith('/capabilities') ? OPEN : { items: [] }))
      },
      baseUrl: `http://hosted.invalid${API_PREFIX}`,
      budget: createBudget({ unlimited: true }),
    })
    const place = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, 'some']))
    for await (const _ of listItems({ client, noun, fields: place })) expect.unreachable()
    const parameter = published.get(endpoint.operation)?.find(({ name }) => name === 'limit')
    const most = Number(parameter?.schema['maximum'] ?? (endpoint.local ? 1000 : Number.NaN))
    const wrong = sent.filter(limit => limit !== null && !(Number(limit) <= most))
    expect(wrong, `${noun.name}: ${endpoint.path}`).toEqual([])
  }
})

test('a list that breaks off is not read again with the older path', async () => {
  const client = createClient({
    async fetch({ url }) {
      const { pathname, searchParams } = new URL(url)
      if (pathname.endsWith('/capabilities')) return Response.json(OPEN)
      if (searchParams.has('cursor')) return Response.json({ code: 'NOT_FOUND', message: 'Gone.' }, { status: 404 })
      return Response.json({ items: [{ id: 'c1', name: 'Claude' }], nextCursor: 'more' })
    },
    baseUrl: `http://hosted.invalid${API_PREFIX}`,
    budget: createBudget({ unlimited: true }),
  })
  const ids: unknown[] = []
  const listing = async () => {
    for await (const { id } of listItems({ client, noun: nounOf('clients')!, fields: { projectId: 'p1' } }))
      ids.push(id)
  }
  await expect(listing()).rejects.toThrow('Gone.')
  expect(ids).toEqual(['c1'])
})
