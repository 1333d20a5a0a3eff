import fc from 'fast-check'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InfiniteQueryObserver, type QueryClient } from '@tanstack/react-query'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { ApiError } from '../errors/api-error.ts'
import { createBudget } from '../budget/budget.ts'
import { answersToStore, isRestored, restoreAnswers } from './cache-contents.ts'
import { readCacheFile, writeCacheFile } from './cache-file.ts'
import { createClient } from '../client.ts'
import { allEndpoints } from '../../contract/contract.ts'
import { createQueries } from './queries.ts'
import { createQueryClient } from './query-client.ts'
import { PATIENCE } from '../../../../test/patience.ts'

const NOW = 1_000_000_000_000
const DAY_MS = 24 * 60 * 60_000

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-cache-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'below/answers')
}

function newQueryClient(): QueryClient {
  const queryClient = createQueryClient()
  onTestFinished(() => queryClient.clear())
  return queryClient
}

/** Returns the query client of the next session, after this one stored its answers. */
function nextSession(queryClient: QueryClient, now = NOW): QueryClient {
  const next = newQueryClient()
  restoreAnswers(next, answersToStore(queryClient, now))
  return next
}

const project = (name: string) => ({ items: [{ id: 'p', name }] })

describe('the file of stored answers', () => {
  test('returns any answers unchanged', () => {
    const file = newFile()
    const answers = fc.array(
      fc.record({
        key: fc.array(fc.jsonValue()),
        at: fc.nat(),
        json: fc.jsonValue().map(value => JSON.stringify(value)),
      }),
    )
    fc.assert(
      fc.property(answers, kept => {
        writeCacheFile(file, '1.0.0', kept)
        expect(readCacheFile(file, '1.0.0')).toEqual(JSON.parse(JSON.stringify(kept)))
      }),
    )
  })

  test('is for its owner only, and no partial file is left behind', () => {
    const file = newFile()
    writeCacheFile(file, '1.0.0', [])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(file, '..'))).toEqual(['answers'])
  })

  test('counts as empty if it is missing, of another version, truncated or changed anywhere', () => {
    const file = newFile()
    const kept = [{ key: ['projects', 'list', {}], at: NOW, json: JSON.stringify(project('Sandbox')) }]
    expect(readCacheFile(file, '1.0.0')).toEqual([])
    writeCacheFile(file, '1.0.0', kept)
    expect(readCacheFile(file, '1.0.1')).toEqual([])
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at += 1) {
      truncateSync(file, at)
      expect(readCacheFile(file, '1.0.0')).toEqual([])
      const changed = Uint8Array.from(whole)
      changed[at]! ^= 1
      writeFileSync(file, changed)
      expect(readCacheFile(file, '1.0.0')).toEqual([])
      writeFileSync(file, whole)
    }
    expect(readCacheFile(file, '1.0.0')).toEqual(kept)
  })
})

describe('stored answers', () => {
  test('are available in the next session with their time, as outdated data', () => {
    const queryClient = newQueryClient()
    queryClient.setQueryData(['projects', 'list', {}], project('Sandbox'), { updatedAt: NOW - 5 })
    const query = nextSession(queryClient)
      .getQueryCache()
      .find({ queryKey: ['projects', 'list', {}] })!
    expect(query.state).toMatchObject({ data: project('Sandbox'), dataUpdatedAt: NOW - 5, status: 'success' })
    expect(query.isStaleByTime(Infinity)).toBe(true)
    expect(isRestored(query)).toBe(true)
  })

  test('include none that is too large, and reading stops at the size limit', () => {
    let looks = 0
    const item = { get: (of: object, name: string) => ((looks += 1), Reflect.get(of, name) as unknown) }
    const items = Array.from({ length: 300_000 }, () => new Proxy({ id: 1 }, item as ProxyHandler<{ id: number }>))
    const queryClient = newQueryClient()
    queryClient.setQueryData(['projects', 'list', {}], { items }, { updatedAt: NOW })
    expect(answersToStore(queryClient, NOW)).toEqual([])
    expect(looks).toBeLessThan(items.length / 3)
  })

  test('never replace what was read in this session', () => {
    const queryClient = newQueryClient()
    queryClient.setQueryData(['projects', 'list', {}], project('old'), { updatedAt: NOW })
    const next = newQueryClient()
    next.setQueryData(['projects', 'list', {}], project('new'), { updatedAt: NOW + 1 })
    restoreAnswers(next, answersToStore(queryClient, NOW))
    expect(next.getQueryData(['projects', 'list', {}])).toEqual(project('new'))
  })

  test('include only plain reads, without links that grant access and without conversations', () => {
    const queryClient = newQueryClient()
    for (const { resource, name } of allEndpoints()) {
      queryClient.setQueryData([resource, name, {}], { id: 'x' }, { updatedAt: NOW })
    }
    const kept = answersToStore(queryClient, NOW).map(({ key }) => key.slice(0, 2).join('.'))
    const plainReads = allEndpoints().filter(({ method }) => method === 'GET')
    const leftOut = plainReads.map(({ resource, name }) => `${resource}.${name}`).filter(name => !kept.includes(name))
    expect(kept).toHaveLength(plainReads.length - leftOut.length)
    expect(leftOut.sort()).toEqual([
      'agentProposals.get',
      'agentTurns.list',
      'agentTurns.usage',
      'calls.get',
      'calls.list',
      'calls.results',
      'chats.get',
      'connections.get',
      'console.list',
      'iterations.steps',
      'iterations.trace',
      'liveServers.get',
      'roots.get',
      'runs.older',
      'scenarios.get',
      'scenarios.list',
      'serverRequests.list',
      'signIns.get',
      'traceExports.otlp',
      'traffic.get',
      'traffic.list',
      'userTesting.get',
      'userTestingSessions.get',
    ])
  })

  test('exclude data that the service has refused since, but include data from before a lost connection', async () => {
    const queryClient = newQueryClient()
    const failures = {
      gone: new ApiError({ kind: 'http', status: 404, message: 'gone', sent: true }),
      lost: new ApiError({ kind: 'network', code: 'refused', message: 'lost', sent: false }),
    }
    for (const [id, error] of Object.entries(failures)) {
      const queryKey = ['runs', 'get', { runId: id }]
      queryClient.setQueryData(queryKey, { id }, { updatedAt: NOW })
      await queryClient.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error), staleTime: 0 })
    }
    const next = nextSession(queryClient).getQueryCache().getAll()
    expect(next.map(query => query.state.data)).toEqual([{ id: 'lost' }])
  })

  test('are limited: the latest come first, and a huge one and an old one are left out', () => {
    const queryClient = newQueryClient()
    const text = 'x'.repeat(100_000)
    const put = (id: number, data: unknown, updatedAt: number): unknown =>
      queryClient.setQueryData(['runs', 'get', { runId: String(id) }], data, { updatedAt })
    for (let id = 0; id < 30; id += 1) put(id, { id, text }, NOW - id)
    put(100, { id: 100, text: text + text }, NOW)
    put(101, { id: 101 }, NOW - 15 * DAY_MS)
    const kept = answersToStore(queryClient, NOW)
    expect(kept.map(({ key }) => Number((key[2] as { runId: string }).runId))).toEqual(
      Array.from({ length: 10 }, (_, id) => id),
    )
  })
})

test('a stored list continues page by page only after its first page was read again', async () => {
  const asked: (string | null)[] = []
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    fetch: overWeb(request => {
      const cursor = new URL(request.url).searchParams.get('cursor')
      asked.push(cursor)
      const trial = { id: `trial ${cursor}`, iterationNumber: 1, status: 'completed' }
      return Promise.resolve(Response.json({ items: [trial], nextCursor: cursor === 'b' ? null : cursor ? 'b' : 'a' }))
    }),
  })
  const options = {
    ...createQueries(client).iterations.list.infinite(
      { projectId: 'p', runId: 'r' },
      // No page will ever change again.
      { settled: () => true },
    ),
    staleTime: Infinity,
  }
  const first = newQueryClient()
  await first.fetchInfiniteQuery({ ...options, pages: 3 })
  expect(asked).toEqual([null, 'a', 'b'])
  const next = nextSession(first, Date.now())
  expect(next.getQueryData(options.queryKey)?.pages).toHaveLength(1)
  const observer = new InfiniteQueryObserver(next, options)
  onTestFinished(observer.subscribe(() => {}))
  expect(observer.getCurrentResult()).toMatchObject({ hasNextPage: true, isFetched: false })
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetched).toBe(true), { ...PATIENCE, interval: 5 })
  expect(asked).toEqual([null, 'a', 'b', null])
  await observer.fetchNextPage()
  await observer.fetchNextPage()
  expect(asked).toEqual([null, 'a', 'b', null, 'a', 'b'])
  expect(observer.getCurrentResult().data?.pages).toHaveLength(3)
})
