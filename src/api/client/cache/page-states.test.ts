import { InfiniteQueryObserver } from '@tanstack/react-query'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'
import { createQueries } from './queries.ts'
import { createQueryClient } from './query-client.ts'

/** Creates a service that has pages of one item each and reports their state, and a cached list of all its pages. */
async function stage(pages: number) {
  const names = Array.from({ length: pages }, (_, page) => `page ${page}`)
  let state = 0
  let requested: number[] = []
  let onPage: (page: number) => void = () => undefined
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    retry: { attempts: 1 },
    stateOf: () => String(state),
    fetch: overWeb(async request => {
      const page = Number(new URL(request.url).searchParams.get('cursor') ?? 0)
      requested.push(page)
      const nextCursor = page + 1 < names.length ? String(page + 1) : null
      const answer = { items: [{ id: `i${page}`, iterationNumber: 1, status: names[page] }], nextCursor }
      onPage(page)
      return Response.json(answer)
    }),
  })
  const queryClient = createQueryClient()
  const options = createQueries(client).iterations.list.infinite({ projectId: 'p', runId: 'r' })
  await queryClient.fetchInfiniteQuery(options)
  const observer = new InfiniteQueryObserver(queryClient, options)
  const leave = observer.subscribe(() => undefined)
  const end = (): void => {
    leave()
    queryClient.clear()
  }
  return {
    observer,
    queryClient,
    options,
    end,
    names,
    /** Returns the items that the list shows. */
    shown: () =>
      observer.getCurrentResult().data?.pages.flatMap(page => page.items.map(item => String(item.status))) ?? [],
    change(page: number) {
      names[page] += '.'
      state += 1
    },
    /** Runs a function whenever a page is requested. */
    during(next: (page: number) => void = () => undefined) {
      onPage = next
    },
    /** Polls, and fails or gives up at a page. */
    async pollInVain(how: 'fail' | 'give up', page: number) {
      onPage = at => {
        if (at !== page) return
        if (how === 'fail') throw new TypeError('the line is lost')
        void queryClient.cancelQueries({ queryKey: options.queryKey })
      }
      await observer.refetch()
      onPage = () => undefined
    },
    /** Returns the pages requested since the last call. */
    requested() {
      const before = requested
      requested = []
      return before
    },
  }
}

type Stage = Awaited<ReturnType<typeof stage>>

async function readAll({ observer, requested }: Stage): Promise<void> {
  while (observer.getCurrentResult().hasNextPage) await observer.fetchNextPage()
  requested()
}

test('a poll of an unchanged service requests no page, and renders nothing', async () => {
  const list = await stage(4)
  onTestFinished(list.end)
  await readAll(list)
  const { data } = list.observer.getCurrentResult()
  await list.observer.refetch()
  expect(list.requested()).toEqual([])
  expect(list.observer.getCurrentResult().data).toBe(data)
  list.change(2)
  await list.observer.refetch()
  expect(list.requested()).toEqual([0, 1, 2, 3])
  expect(list.shown()).toEqual(list.names)
  await list.observer.refetch()
  expect(list.requested()).toEqual([])
})

test('an outdated page is read, whatever the service says about its state', async () => {
  const list = await stage(2)
  onTestFinished(list.end)
  await readAll(list)
  await list.queryClient.invalidateQueries({ queryKey: list.options.queryKey })
  expect(list.requested()).toEqual([0, 1])
})

test('a change while the list is being read is read by the next poll', async () => {
  const list = await stage(3)
  onTestFinished(list.end)
  await readAll(list)
  list.change(0)
  list.during(page => {
    if (page === 1) list.change(0)
  })
  await list.observer.refetch()
  list.during()
  await list.observer.refetch()
  expect(list.shown()).toEqual(list.names)
})

test.each(['fail', 'give up'] as const)('pages that a poll read before it had to %s are read again', async how => {
  const list = await stage(3)
  onTestFinished(list.end)
  await list.observer.fetchNextPage()
  list.change(0)
  await list.pollInVain(how, 1)
  await list.observer.fetchNextPage()
  list.requested()
  await list.observer.refetch()
  expect(list.requested()).toContain(0)
  expect(list.shown()).toEqual(list.names)
})

test('a successful poll shows the data of the service, whatever failed or was aborted before', async () => {
  const pages = 4
  const page = fc.nat({ max: pages - 1 })
  const kind = fc.constantFrom('change', 'poll', 'next', 'fail', 'give up')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ kind, page }), { maxLength: 12 }), async steps => {
      const list = await stage(pages)
      const { observer } = list
      const acts: Record<string, (page: number) => unknown> = {
        change: page => list.change(page),
        next: () => observer.fetchNextPage(),
        poll: () => observer.refetch(),
        fail: page => list.pollInVain('fail', page),
        'give up': page => list.pollInVain('give up', page),
      }
      try {
        for (const { kind, page } of [...steps, { kind: 'poll', page: 0 }]) {
          await acts[kind]?.(page)
          if (kind === 'poll') expect(list.shown()).toEqual(list.names.slice(0, list.shown().length))
        }
        expect(observer.getCurrentResult().isRefetchError).toBe(false)
      } finally {
        list.end()
      }
    }),
  )
})
