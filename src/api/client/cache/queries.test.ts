import { hashKey, InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { createBudget } from '../budget/budget.ts'
import { type CallOptions, createClient } from '../client.ts'
import { contract } from '../../contract/contract.ts'
import { createQueries, refresh } from './queries.ts'
import { createQueryClient } from './query-client.ts'
import { PATIENCE } from '../../../../test/patience.ts'

const run = { id: 'r', suiteId: 's', status: 'running', createdAt: 1 }

function setup(answer: (request: Request, nth: number) => Response) {
  const requests: Request[] = []
  const calls: CallOptions[] = []
  const budget = createBudget({ unlimited: true })
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: {
      ...budget,
      acquire: options => {
        calls.push(options ?? {})
        return budget.acquire(options)
      },
    },
    fetch: overWeb(async request => {
      requests.push(request)
      return answer(request, requests.length)
    }),
  })
  const queryClient = createQueryClient()
  opened.push(() => queryClient.clear())
  return { client, queries: createQueries(client), queryClient, requests, calls }
}

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

const watch = (observer: { subscribe: (listener: () => void) => () => void }) => {
  opened.push(observer.subscribe(() => {}))
}

describe('the queries of the cache', () => {
  test.each(['one answer', 'pages'])('are found by key, however many others there are: %s', async how => {
    const { queries, queryClient } = setup(() => Response.json({ items: [run] }))
    const others = Array.from({ length: 300 }, (_, index) => ['others', index])
    let looks = 0
    for (const queryKey of others) {
      queryClient.setQueryData(queryKey, {})
      const query = queryClient.getQueryCache().get(hashKey(queryKey))!
      const { options } = query
      Object.defineProperty(query, 'options', { get: () => ((looks += 1), options) })
    }
    const input = { projectId: 'p', suiteId: 's' }
    if (how === 'pages') await queryClient.fetchInfiniteQuery(queries.runs.list.infinite(input))
    else await queryClient.fetchQuery(queries.runs.list.options(input))
    expect(looks).toBe(0)
  })

  test('have a key of endpoint and input, and send with the priority and owner that are set', async () => {
    const { queries, queryClient, calls } = setup(() => Response.json(run))
    const options = queries.runs.get.options({ projectId: 'p', runId: 'r' }, { meta: { owner: 'detail' } })
    expect(options.queryKey).toEqual(['runs', 'get', { projectId: 'p', runId: 'r' }])
    expect((await queryClient.fetchQuery(options)).status).toBe('running')
    await queryClient.refetchQueries({ queryKey: options.queryKey })
    await queryClient.fetchQuery({ ...options, staleTime: 0, meta: { priority: 'background' } })
    const asked = calls.map(({ priority, owner }) => [priority, owner])
    expect(asked).toEqual([
      ['foreground', 'detail'],
      ['visible', 'detail'],
      ['background', undefined],
    ])
  })

  test('a failed query is not retried by the cache and keeps its ApiError', async () => {
    const forbidden = () => Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: 403 })
    const { queries, queryClient, requests } = setup(forbidden)
    await expect(queryClient.fetchQuery(queries.account.me.options({}))).rejects.toMatchObject({ status: 403 })
    expect(requests).toHaveLength(1)
  })

  test('poll, although Node has no window object', async () => {
    const { queries, queryClient, requests } = setup(() => Response.json(run))
    const input = { projectId: 'p', runId: 'r' }
    watch(new QueryObserver(queryClient, queries.runs.get.options(input, { refetchInterval: 5 })))
    await expect.poll(() => requests.length, PATIENCE).toBeGreaterThan(3)
  })

  test('cancel their request if nobody watches any more', async () => {
    let signal: AbortSignal | undefined
    const { queries, queryClient } = setup(request => {
      signal = request.signal
      return new Response(new ReadableStream())
    })
    const observer = new QueryObserver(queryClient, queries.runs.get.options({ projectId: 'p', runId: 'r' }))
    const leave = observer.subscribe(() => {})
    await expect.poll(() => signal, PATIENCE).toBeDefined()
    leave()
    await expect.poll(() => signal?.aborted, PATIENCE).toBe(true)
  })

  test('read pages and stop at a repeated cursor', async () => {
    const cursors = ['a', 'b', 'a']
    const { queries, queryClient, requests } = setup((_, nth) =>
      Response.json({ items: [{ id: `i${nth}`, iterationNumber: nth, status: 'x' }], nextCursor: cursors[nth - 1] }),
    )
    const options = queries.iterations.list.infinite({ projectId: 'p', runId: 'r' })
    expect(options.queryKey).toEqual(['iterations', 'list', { projectId: 'p', runId: 'r' }, 'pages'])
    const observer = new InfiniteQueryObserver(queryClient, options)
    watch(observer)
    await expect.poll(() => observer.getCurrentResult().hasNextPage, PATIENCE).toBe(true)
    await observer.fetchNextPage()
    const last = await observer.fetchNextPage()
    expect(last.data?.pages.flatMap(page => page.items.map(item => item.id))).toEqual(['i1', 'i2', 'i3'])
    expect(last.hasNextPage).toBe(false)
    expect(requests.map(request => new URL(request.url).searchParams.get('cursor'))).toEqual([null, 'a', 'b'])
  })

  test('read several pages after the first as one, reduced to the parts that are stored', async () => {
    const cursors = ['a', 'b', 'c', 'd']
    const { queries, queryClient, requests } = setup((_, nth) =>
      Response.json({
        items: [{ id: `i${nth}`, iterationNumber: nth, status: 'x', error: 'long' }],
        nextCursor: cursors[nth - 1] ?? null,
      }),
    )
    const options = queries.iterations.list.infinite(
      { projectId: 'p', runId: 'r' },
      {
        pagesPerDraw: 3,
        project: page => ({
          ...page,
          items: page.items.map(({ id, iterationNumber, status }) => ({ id, iterationNumber, status })),
        }),
      },
    )
    const observer = new InfiniteQueryObserver(queryClient, options)
    watch(observer)
    await expect.poll(() => observer.getCurrentResult().hasNextPage, PATIENCE).toBe(true)
    expect(requests).toHaveLength(1)
    await observer.fetchNextPage()
    expect(requests).toHaveLength(4)
    const last = await observer.fetchNextPage()
    expect(last.hasNextPage).toBe(false)
    const pages = last.data?.pages.map(page => page.items.map(item => item.id))
    expect(pages).toEqual([['i1'], ['i2', 'i3', 'i4'], ['i5']])
    expect(last.data?.pages.flatMap(page => page.items).some(item => 'error' in item)).toBe(false)
  })

  test('a round of polling reads at most its limit of pages, and all of them if they are outdated', async () => {
    const asked: (string | null)[] = []
    const { queries, queryClient } = setup(request => {
      const cursor = new URL(request.url).searchParams.get('cursor')
      asked.push(cursor)
      const at = Number(cursor ?? 0)
      return Response.json({
        items: [{ id: `i${at}`, iterationNumber: asked.length, status: 'x' }],
        nextCursor: at < 3 ? String(at + 1) : null,
      })
    })
    const options = queries.iterations.list.infinite({ projectId: 'p', runId: 'r' }, { maxPagesPerPoll: 2 })
    const observer = new InfiniteQueryObserver(queryClient, options)
    watch(observer)
    await expect.poll(() => observer.getCurrentResult().hasNextPage, PATIENCE).toBe(true)
    for (let page = 1; page < 4; page += 1) await observer.fetchNextPage()
    const polled: (string | null)[][] = []
    for (let round = 0; round < 3; round += 1) {
      asked.length = 0
      await observer.refetch()
      polled.push([...asked])
    }
    expect(polled).toEqual([
      [null, '1'],
      [null, '2'],
      [null, '3'],
    ])
    asked.length = 0
    await queryClient.invalidateQueries({ queryKey: options.queryKey })
    expect(asked).toEqual([null, '1', '2', '3'])
  })

  test('a repeated cursor also ends pages that are read as one', async () => {
    const cursors = ['a', 'b', 'c', 'b']
    const { queries, queryClient, requests } = setup((_, nth) =>
      Response.json({ items: [{ id: `i${nth}`, iterationNumber: nth, status: 'x' }], nextCursor: cursors[nth - 1] }),
    )
    const options = queries.iterations.list.infinite({ projectId: 'p', runId: 'r' }, { pagesPerDraw: 10 })
    const observer = new InfiniteQueryObserver(queryClient, options)
    watch(observer)
    await expect.poll(() => observer.getCurrentResult().hasNextPage, PATIENCE).toBe(true)
    const last = await observer.fetchNextPage()
    expect(last.data?.pages[1]?.items.map(item => item.id)).toEqual(['i2', 'i3', 'i4'])
    expect(last.hasNextPage).toBe(false)
    expect(requests).toHaveLength(4)
  })

  test('are never made from writes', () => {
    const { queries } = setup(() => Response.json(run))
    const input = { projectId: 'p', body: { suiteId: 's' } }
    expect(() => queries.runs.create.options(input)).toThrow('createEvalRun is no read')
    expect(() => queries.runs.create.infinite(input)).toThrow('createEvalRun is no read')
  })
})

test('a list started on a slow connection has small pages, and keeps them', async () => {
  const { client, queries, queryClient, requests } = setup(() => Response.json({ items: [], nextCursor: null }))
  client.monitor.slowLine = () => 5_000
  const slow = queries.iterations.list.infinite({ projectId: 'p', runId: 'slow', limit: 200 })
  await queryClient.fetchInfiniteQuery(slow)
  client.monitor.slowLine = () => undefined
  await queryClient.refetchQueries({ queryKey: slow.queryKey })
  await queryClient.fetchInfiniteQuery(queries.iterations.list.infinite({ projectId: 'p', runId: 'r', limit: 200 }))
  const limits = requests.map(({ url }) => new URL(url).searchParams.get('limit'))
  expect(limits).toEqual(['25', '25', '200'])
})

describe('the writes of the cache', () => {
  const created = { runId: 'r', suiteId: 's', status: 'pending' }
  const answerAll = (request: Request) =>
    request.method === 'POST' ? Response.json(created, { status: 202 }) : Response.json({ items: [] })

  test('mark only the named resources as outdated', async () => {
    const { queries, queryClient } = setup(answerAll)
    await queryClient.fetchQuery(queries.suites.list.options({ projectId: 'p' }))
    await queryClient.fetchQuery(queries.projects.list.options({}))
    refresh(queryClient, contract.runs.create)
    const stale = (key: string) =>
      queryClient.getQueryCache().find({ queryKey: [key], exact: false })?.state.isInvalidated
    expect([stale('suites'), stale('projects')]).toEqual([true, false])
  })
})

test('a wrong input does not compile', () => {
  const { client } = setup(() => Response.json(run))
  const wrong = [
    // @ts-expect-error a path parameter is missing
    () => client.runs.list({ projectId: 'p' }),
    // @ts-expect-error the field is not declared
    () => client.runs.get({ projectId: 'p', runId: 'r', other: 1 }),
    // @ts-expect-error the body has the wrong type
    () => client.runs.create({ projectId: 'p', body: { suiteId: 3 } }),
  ]
  return Promise.all(
    wrong.map(call => expect(call()).rejects.toMatchObject({ kind: 'refused', code: 'invalid-input' })),
  )
})

describe('polling a list of several pages', () => {
  test('skips pages that will never change again', async () => {
    const asked: (string | null)[] = []
    const client = createClient({
      baseUrl: 'http://x.test/api/v1',
      key: 'sk_test',
      budget: createBudget({ unlimited: true }),
      fetch: overWeb(async request => {
        const cursor = new URL(request.url).searchParams.get('cursor')
        asked.push(cursor)
        const status = cursor === null ? 'completed' : 'running'
        const trial = { id: cursor ?? 'first', iterationNumber: 1, status }
        return Response.json({ items: [trial], ...(cursor === null && { nextCursor: 'second' }) })
      }),
    })
    const queryClient = createQueryClient()
    const settled = (page: { items: readonly { status: string }[] }) =>
      page.items.every(trial => trial.status === 'completed')
    const options = createQueries(client).iterations.list.infinite({ projectId: 'p', runId: 'r' }, { settled })
    const observer = new InfiniteQueryObserver(queryClient, options)
    const unsubscribe = observer.subscribe(() => undefined)
    await observer.refetch()
    await observer.fetchNextPage()
    asked.length = 0
    await observer.refetch()
    expect(asked).toEqual(['second'])
    expect(observer.getCurrentResult().data?.pages).toHaveLength(2)
    unsubscribe()
    queryClient.clear()
  })
})
