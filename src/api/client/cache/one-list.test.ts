import { InfiniteQueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { PATIENCE } from '../../../../test/patience.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'
import { contract } from '../../contract/contract.ts'
import { createQueries, refresh } from './queries.ts'
import { createQueryClient, PLANNED } from './query-client.ts'

const input = { projectId: 'p' }
const scenario = (mode: string, id = 's') => ({ id, name: 'Desk', mode })

/** Creates a client of a service whose list of scenarios is returned by `answer` at each request. */
function setup(answer: (url: URL) => unknown) {
  let asked = 0
  let stalled: Promise<void> | undefined
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    fetch: overWeb(async request => {
      asked += 1
      const body = answer(new URL(request.url))
      await stalled
      return Response.json(body)
    }),
  })
  const queryClient = createQueryClient()
  onTestFinished(() => queryClient.clear())
  const { list } = createQueries(client).scenarios
  const plain = list.options(input)
  const paged = list.infinite(input)
  const modes = {
    plain: () => queryClient.getQueryData(plain.queryKey)?.items.map(({ mode }) => mode),
    paged: () => queryClient.getQueryData(paged.queryKey)?.pages.flatMap(({ items }) => items.map(({ mode }) => mode)),
  }
  /** Delays answers, which are computed at once, until the returned function is called. */
  const stall = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    stalled = promise
    return resolve
  }
  return { queryClient, plain, paged, modes, asked: () => asked, stall }
}

test('a list read in pages updates its plain read, and the other way round', async () => {
  let mode = 'anyone_with_link'
  const { queryClient, plain, paged, modes, asked } = setup(() => ({ items: [scenario(mode)] }))
  await queryClient.fetchQuery(plain)
  await queryClient.fetchInfiniteQuery(paged)
  mode = 'invited_only'
  await queryClient.fetchInfiniteQuery({ ...paged, staleTime: 0 })
  expect(modes.plain()).toEqual(['invited_only'])
  const [ofPlain, ofPages] = [plain, paged].map(({ queryKey }) => queryClient.getQueryState(queryKey))
  expect([ofPlain?.dataUpdatedAt, ofPlain?.isInvalidated]).toEqual([ofPages?.dataUpdatedAt, false])
  mode = 'anyone_with_link'
  await queryClient.fetchQuery({ ...plain, staleTime: 0 })
  expect(modes.paged()).toEqual(['anyone_with_link'])
  expect(asked()).toBe(4)
})

test('the first page of a longer list is the plain list, and a plain read leaves the pages unchanged', async () => {
  let mode = 'anyone_with_link'
  const { queryClient, plain, paged, modes } = setup(({ searchParams }) =>
    searchParams.has('cursor')
      ? { items: [scenario('invited_only', 'last')] }
      : { items: [scenario(mode)], nextCursor: 'next' },
  )
  await queryClient.fetchQuery(plain)
  const observer = new InfiniteQueryObserver(queryClient, paged)
  onTestFinished(observer.subscribe(() => undefined))
  await observer.refetch()
  await observer.fetchNextPage()
  mode = 'invited_only'
  await queryClient.fetchQuery({ ...plain, staleTime: 0 })
  expect(modes.paged()).toEqual(['anyone_with_link', 'invited_only'])
  mode = 'anyone_with_link'
  await observer.refetch()
  expect(modes.plain()).toEqual(['anyone_with_link'])
})

test('a planned read that was sent before a write does not count as a read after the write', async () => {
  let mode = 'anyone_with_link'
  const { queryClient, plain, modes, asked, stall } = setup(() => ({ items: [scenario(mode)] }))
  await queryClient.fetchQuery(plain)
  const arrive = stall()
  const meta = { owner: PLANNED }
  const onItsWay = queryClient.prefetchQuery({ ...plain, staleTime: 0, meta })
  await expect.poll(asked, PATIENCE).toBe(2)
  mode = 'invited_only'
  refresh(queryClient, contract.userTesting.update)
  const isOutdated = () => queryClient.getQueryState(plain.queryKey)?.isInvalidated
  await expect.poll(isOutdated, PATIENCE).toBe(true)
  arrive()
  await onItsWay
  expect(isOutdated()).toBe(true)
  await queryClient.prefetchQuery({ ...plain, staleTime: 0, meta })
  expect([modes.plain(), isOutdated()]).toEqual([['invited_only'], false])
})
