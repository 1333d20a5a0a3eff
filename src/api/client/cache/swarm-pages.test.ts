import type { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openService, type TestService } from '../../../../test/harness.tsx'
import { record, sighting } from '../../../../test/service/graded-waves.ts'
import { createQueries } from './queries.ts'
import { createQueryClient } from './query-client.ts'
import { rereadSwarmPages, shareSwarmPages, swarmPagesKey, wholeSwarmFindings, type SwarmPages } from './swarm-pages.ts'

const COUNT = 120

let testService: TestService
let queryClient: QueryClient
let projectId: string
/** Number of requests for the list. */
let reads = 0

beforeEach(async () => {
  testService = await openService({
    wrap: fetch => request => {
      if (request.method === 'GET' && request.url.includes('journey-findings')) reads += 1
      return fetch(request)
    },
  })
  queryClient = createQueryClient()
  projectId = (await testService.client.projects.list()).items[0]!.id
  const names = Array.from({ length: COUNT }, (_, index) => `goal ${index}`)
  record(
    testService.service.store,
    { projectId, waveId: 'w1', at: Date.now() },
    names.map(name => sighting(name)),
  )
})
afterEach(async () => {
  queryClient.clear()
  await testService.close()
})

const readWhole = () => queryClient.fetchQuery(wholeSwarmFindings(testService.client, queryClient, projectId))
const known = () => queryClient.getQueryData<SwarmPages>(swarmPagesKey(projectId))
const itemsOf = (pages: SwarmPages | undefined) => pages?.pages.flatMap(({ items }) => items) ?? []

test('all pages are read as one list, and are available to anyone who reads them one by one', async () => {
  expect(itemsOf(await readWhole())).toHaveLength(COUNT)
  const { queryKey } = createQueries(testService.client).journeyFindings.list.infinite({ projectId })
  expect(queryKey).toEqual(swarmPagesKey(projectId))
  expect(itemsOf(known())).toHaveLength(COUNT)
})

test('only the pages with the wanted rows are read again', async () => {
  const { client } = testService
  await readWhole()
  const { id } = itemsOf(known()).at(-1)!
  await client.journeyFindings.dismiss({ projectId, findingId: id })
  reads = 0
  expect(await rereadSwarmPages(client, queryClient, { projectId, ids: new Set([id]) })).toBe(true)
  expect(reads).toBe(1)
  shareSwarmPages(queryClient, projectId)
  const whole = await queryClient.fetchQuery({
    ...wholeSwarmFindings(client, queryClient, projectId),
    staleTime: Infinity,
  })
  for (const pages of [known(), whole]) {
    expect(itemsOf(pages)).toHaveLength(COUNT)
    expect(itemsOf(pages).filter(({ dismissedAt }) => dismissedAt != null)).toMatchObject([{ id }])
  }
  expect(reads).toBe(1)
  expect(await rereadSwarmPages(client, queryClient, { projectId, ids: new Set(['fnd_none']) })).toBe(false)
})
