import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { randomNumbers } from '../../../test/random-numbers.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries, refresh } from '../../api/client/cache/queries.ts'
import { createQueryClient, outdate } from '../../api/client/cache/query-client.ts'
import { createClient } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import type { NowLine } from '../../domain/now/line.ts'
import { NOW_READS } from '../../domain/now/plan.ts'
import { RUNS_READ } from '../../domain/now/proof.ts'
import { createRunReads } from '../../domain/now/run-reads.ts'
import { nowSources } from '../../hooks/now-reads.ts'
import { useConnection } from '../../hooks/use-connection.ts'
import { WorkspaceProvider } from '../../hooks/workspace.tsx'
import { useNowReads } from './use-now-data.ts'
import { PATIENCE } from '../../../test/patience.ts'
import { slowAnswer } from '../../../test/pause.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

type Fetch = Parameters<typeof createClient>[0]['fetch']

/** Creates a client of a service with these answers, and a way to render screens that read from it. */
function openStage(fetch: Fetch, budget = createBudget({ unlimited: true }), random?: () => number) {
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget, random })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const queries = createQueries(client)
  const workspace = { client, queries, budget, profile }
  const draw = (screens: ReactNode, queryClient = createQueryClient()) =>
    render(
      <QueryClientProvider client={queryClient}>
        <WorkspaceProvider workspace={workspace}>{screens}</WorkspaceProvider>
      </QueryClientProvider>,
    )
  const runReads = (queryClient: QueryClient) => createRunReads(nowSources(workspace, queryClient))
  return { queries, draw, runReads }
}

test('a waiting run, read ten times with the same answer, renders nothing; another answer renders once', async () => {
  let [asked, ended] = [0, 0]
  const answer = () => ({
    items: [{ id: 'r', suiteId: 's', status: 'running', createdAt: 1, summary: { total: ended } }],
  })
  const { queries, draw } = openStage(() => {
    asked += 1
    return Promise.resolve(Response.json(answer()))
  })
  const every = NOW_READS.live.every
  const drawn = { header: 0, screen: 0 }
  const shown: unknown[] = []
  function Header() {
    useConnection()
    drawn.header += 1
    return null
  }
  function Screen() {
    const [runs] = useNowReads(({ read }) =>
      read('live', [queries.runs.list.options({ projectId: 'p', suiteId: 's' })]),
    )
    drawn.screen += 1
    shown.push(runs?.data?.items[0]?.summary?.total)
    return null
  }
  const { unmount } = draw(
    <>
      <Header />
      <Screen />
    </>,
  )
  await vi.advanceTimersByTimeAsync(every)
  expect(shown.at(-1)).toBe(0)
  const before = { asked, ...drawn }
  await vi.advanceTimersByTimeAsync(18 * every)
  // A read whose answer was the same five times is repeated half as often.
  expect(asked - before.asked).toBeGreaterThanOrEqual(10)
  expect(asked - before.asked).toBeLessThanOrEqual(13)
  expect(drawn).toEqual({ header: before.header, screen: before.screen })
  ended = 1
  await vi.advanceTimersByTimeAsync(3 * every)
  await new Promise(drawn => setImmediate(drawn))
  expect([shown.at(-1), drawn.screen]).toEqual([1, before.screen + 1])
  unmount()
})

test('suites that passed are rendered in groups, the last ones and a failed one at once', async () => {
  const asked: string[] = []
  const runOf = (suiteId: string) => {
    const failed = suiteId === 's7' ? 1 : 0
    const summary = { total: 1, passed: 1 - failed, failed, passRate: 1 - failed }
    const result = failed > 0 ? 'failed' : 'passed'
    return { id: `r${suiteId}`, suiteId, status: 'completed', result, createdAt: 1, completedAt: 2, summary }
  }
  const { queries, draw } = openStage(
    ({ url }) => {
      const suiteId = /s\d+/.exec(new URL(url).pathname)![0]
      asked.push(suiteId)
      return Promise.resolve(Response.json({ items: [runOf(suiteId)] }))
    },
    createBudget({ capacity: 300, refillPerSecond: 300 }),
  )
  const wanted = Array.from({ length: 22 }, (_, suite) =>
    queries.runs.list.options({ projectId: 'p', suiteId: `s${suite}` }),
  )
  /** Number of known suites in each render, and whether the failed one is among them. */
  const drawn: { read: number; failed: boolean }[] = []
  function Screen() {
    const answers = useNowReads(({ read }) => read('runs', wanted))
    const runs = answers.flatMap(({ data }) => data?.items ?? [])
    drawn.push({ read: runs.length, failed: runs.some(({ suiteId }) => suiteId === 's7') })
    return null
  }
  const { unmount } = draw(<Screen />)
  const settle = async () => {
    await vi.advanceTimersByTimeAsync(1_000)
    await new Promise(done => setImmediate(done))
  }
  while (!asked.includes('s7')) await settle()
  await settle()
  expect(drawn.at(-1)?.failed).toBe(true)
  while (asked.length < wanted.length) await settle()
  await settle()
  expect(drawn.at(-1)?.read).toBe(wanted.length)
  // There is one render for each five suites, one for the failed one, one for the last, and those at the start.
  expect(new Set(drawn.map(({ read }) => read)).size).toBeLessThanOrEqual(9)
  unmount()
})

test('a rare read is made at once if its answer is older than its pause', async () => {
  let asked = 0
  const { queries, draw } = openStage(() => {
    asked += 1
    return Promise.resolve(Response.json({ items: [] }))
  })
  const pause = NOW_READS.projects.every
  function Screen() {
    useNowReads(({ read }) => read('projects', [queries.projects.list.options({})]))
    return null
  }
  const visit = async (queryClient: QueryClient): Promise<number> => {
    const before = asked
    const { unmount } = draw(<Screen />, queryClient)
    await vi.advanceTimersByTimeAsync(1_000)
    unmount()
    return asked - before
  }
  const session = createQueryClient()
  expect(await visit(session)).toBe(1)
  expect(await visit(session)).toBe(0)
  await vi.advanceTimersByTimeAsync(pause)
  expect(await visit(session)).toBe(1)
})

test('after the run of a suite has ended, its reads count in the header with their longer interval', async () => {
  const { queries, draw } = openStage(() => Promise.resolve(Response.json({ items: [] })))
  const queryClient = createQueryClient()
  const wanted = [queries.runs.list.options({ projectId: 'p', suiteId: 's' })]
  let hasEnded: () => void = () => undefined
  function Screen() {
    const [kind, setKind] = useState<'live' | 'runs'>('live')
    hasEnded = () => setKind('runs')
    useNowReads(({ read }) => read(kind, wanted))
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  const every = () => queryClient.getQueryCache().findAll()[0]?.observers[0]?.options.meta?.every
  await vi.advanceTimersByTimeAsync(1_000)
  expect(every()).toBe(NOW_READS.live.every)
  hasEnded()
  await vi.waitFor(() => expect(every()).toBe(NOW_READS.runs.every), PATIENCE)
  unmount()
})

test('if everything becomes out of date, hundreds of reads continue by the plan', async () => {
  let [asked, isAnswering] = [0, true]
  const { queries, draw } = openStage(
    () => {
      asked += 1
      return isAnswering ? Promise.resolve(Response.json({ items: [] })) : new Promise(() => undefined)
    },
    createBudget({ capacity: 300, refillPerSecond: 300 }),
  )
  const queryClient = createQueryClient()
  const wanted = Array.from({ length: 100 }, (_, suite) =>
    queries.runs.list.options({ projectId: 'p', suiteId: `s${suite}` }),
  )
  function Screen() {
    useNowReads(({ read }) => read('runs', wanted))
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked).toBe(wanted.length)
  isAnswering = false
  refresh(queryClient, contract.runs.cancel)
  await outdate(queryClient, { type: 'active' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked - wanted.length).toBeGreaterThan(0)
  expect(asked - wanted.length).toBeLessThanOrEqual(4)
  unmount()
})

test('a request among a thousand reads examines none of the others', async () => {
  let asked = 0
  const { queries, draw } = openStage(() => {
    asked += 1
    return Promise.resolve(Response.json({ items: [] }))
  })
  const queryClient = createQueryClient()
  const wanted = range(1_000, 's').map(suiteId => queries.runs.list.options({ projectId: 'p', suiteId }))
  function Screen() {
    useConnection()
    useNowReads(({ read }) => read('runs', wanted))
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  await vi.advanceTimersByTimeAsync(500)
  asked = 0
  const looks = vi.spyOn(queryClient.getQueryCache(), 'getAll')
  await vi.advanceTimersByTimeAsync(500)
  expect(asked).toBeGreaterThanOrEqual(10)
  expect(looks).not.toHaveBeenCalled()
  unmount()
})

// With the second and third seed, one read is between two attempts when the service returns.
test.each([1, 77, 81])('while the service is lost, hundreds of reads take turns; seed %i', async seed => {
  let isLost = true
  const tried = new Set<string>()
  const fetch: Fetch = request => {
    tried.add(request.url)
    return isLost ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(Response.json({ items: [] }))
  }
  const { queries, draw } = openStage(fetch, undefined, randomNumbers(seed).next)
  const queryClient = createQueryClient()
  const ids = Array.from({ length: 200 }, (_, index) => `p${index}`)
  const wanted = ids.map(projectId => queries.suites.list.options({ projectId }))
  const said: string[] = []
  let read = 0
  function Header() {
    said.push(useConnection().text)
    return null
  }
  function Screen() {
    read = useNowReads(({ read }) => read('suites', wanted)).filter(({ data }) => data !== undefined).length
    return null
  }
  const { unmount } = draw(
    <>
      <Header />
      <Screen />
    </>,
    queryClient,
  )
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000)
      await new Promise(drawn => setImmediate(drawn))
    }
  }
  await pass(60)
  expect(said.at(-1)).toBe('no answer yet')
  expect(tried.size).toBeLessThan(ids.length / 4)
  const underWay = queryClient.getQueryCache().findAll({ fetchStatus: 'fetching' }).length
  const failed = [...tried]
  tried.clear()
  isLost = false
  await pass(20)
  expect(said.at(-1)).toBe('fresh')
  await pass(120)
  expect(read).toBe(ids.length)
  // A failed read is as unknown as one that was never tried.
  const first = new Set([...tried].slice(0, failed.length + 10))
  expect(failed.filter(url => !first.has(url)).length).toBeLessThanOrEqual(underWay)
  unmount()
})

test('on a slow line that drops answers, nothing on screen is older than the header says', async () => {
  const { next: random } = randomNumbers(8)
  // The service answers with the time of sending. The answer arrives up to half a minute later, or never.
  const { queries, draw } = openStage(
    async () => {
      const answer = await slowAnswer(random() * 29_000, Response.json({ items: [], made: Date.now() }))
      if (random() < 0.3) throw new TypeError('fetch failed')
      return answer
    },
    createBudget({ capacity: 10, refillPerSecond: 1 }),
  )
  const wanted = ['p', 'q'].map(projectId => queries.suites.list.options({ projectId }))
  let said = ''
  function Header() {
    said = useConnection().text
    return null
  }
  const shown: { made: number; at: number }[] = []
  function Screen() {
    const answers = useNowReads(({ read }) => read('suites', wanted))
    const all = answers.flatMap(({ data, at = 0 }) => (data ? [{ made: Number(Object(data)['made']), at }] : []))
    shown.splice(0, Infinity, ...all)
    return null
  }
  const { unmount } = draw(
    <>
      <Header />
      <Screen />
    </>,
  )
  const sentences = new Set<string>()
  for (let second = 0; second < 900; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    await new Promise(drawn => setImmediate(drawn))
    sentences.add(said.replace(/\d+/g, 'N'))
    const oldest = Math.max(...shown.map(({ made }) => Date.now() - made))
    for (const { made, at } of shown) expect(at).toBeLessThanOrEqual(made)
    if (said === 'fresh') expect(oldest).toBeLessThan(66_000)
    if (said === '1m old') expect(oldest).toBeLessThan(126_000)
  }
  expect([...sentences]).toEqual(expect.arrayContaining(['fresh', 'Nm old']))
  unmount()
})

test('an answer about one suite renders once, and touches no other rows or reads', async () => {
  const [projects, suites] = [range(10, 'p'), range(8, 's')]
  const at = Date.now() - 60_000
  const ended = (suiteId: string, runNumber = 1) => ({
    id: `${suiteId}-${runNumber}`,
    suiteId,
    runNumber,
    status: 'completed',
    result: 'failed',
    createdAt: at,
    summary: { total: 2, passed: 0, failed: 2 },
  })
  const again = new Set<string>()
  const trials = { total: 10, passed: 1, pending: 9 }
  const inFlight = { ...ended('p0s0'), status: 'running', result: 'pending', decisionSummary: { counts: { trials } } }
  const runsOf = (id: string) => (id === 'p0s0' ? [inFlight] : again.has(id) ? [ended(id, 2), ended(id)] : [ended(id)])
  const { queries, draw, runReads } = openStage(({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const [, projectId] = /projects\/(\w+)/.exec(pathname) ?? []
    const suiteId = searchParams.get('suiteId') ?? /eval-suites\/(\w+)/.exec(pathname)?.[1]
    const items = suiteId
      ? runsOf(suiteId)
      : suites.map(suite => ({ id: projectId + suite, name: suite, latestRun: runsOf(projectId + suite)[0] }))
    return Promise.resolve(Response.json({ items }))
  })
  const queryClient = createQueryClient()
  const wanted = projects.map(projectId => queries.suites.list.options({ projectId }))
  const of = projects.map(id => ({ id, name: id }))
  const readRuns = runReads(queryClient)
  let lines: readonly NowLine[] = []
  let drawn = 0
  function Screen() {
    drawn += 1
    lines = useNowReads(reader => readRuns(reader, of, reader.read('suites', wanted), 0)).lines
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000)
      await new Promise(done => setImmediate(done))
    }
  }
  await pass(10)
  const flying = () => lines.find(({ key }) => key.includes('run p0s0'))
  const first = flying()
  await pass(15)
  expect(lines).toHaveLength(projects.length * suites.length)
  const before = { lines, drawn }
  const events = vi.fn<() => void>()
  queryClient.getQueryCache().subscribe(events)
  again.add('p7s7')
  const { queryKey } = queries.runs.list.options({ projectId: 'p7', suiteId: 'p7s7', limit: RUNS_READ })
  await queryClient.refetchQueries({ queryKey })
  await vi.advanceTimersByTimeAsync(10)
  await new Promise(done => setImmediate(done))
  const others = (all: readonly NowLine[]) => new Set(all.filter(({ key }) => !/p7s7|p0s0/.test(key)))
  expect(others(lines)).toEqual(others(before.lines))
  expect([...others(lines)].every(line => before.lines.includes(line))).toBe(true)
  expect(lines.find(({ key }) => key.includes('p7s7'))?.sentence).toContain('#2')
  // The run was read again, and no trial had ended.
  expect(flying()?.readAt).toBeGreaterThan(first!.readAt!)
  expect(flying()?.sentence).toBe(first?.sentence)
  expect(first?.sentence).toContain('1 of 10 trials ended, about')
  expect(drawn).toBe(before.drawn + 1)
  expect(events.mock.calls.length).toBeLessThan(10)
  unmount()
})

test.each([
  [true, 20],
  [false, 20],
  [true, null],
])('a suite whose runs stopped has its schedule read; on: %s, every %s minutes', async (enabled, intervalMinutes) => {
  const suite = { id: 's', name: 'Smoke' }
  const runs = [0, 1, 2].map(step => ({
    id: `r${step}`,
    suiteId: 's',
    status: 'completed',
    result: 'passed',
    createdAt: Date.now() - (60 + step * 20) * 60_000,
    summary: { total: 1, passed: 1, failed: 0 },
  }))
  const { queries, draw, runReads } = openStage(({ url }) => {
    const { pathname } = new URL(url)
    if (pathname.endsWith('/s'))
      return Promise.resolve(Response.json({ ...suite, schedule: { enabled, intervalMinutes } }))
    const items = pathname.endsWith('/runs') ? runs : [{ ...suite, latestRun: runs[0] }]
    return Promise.resolve(Response.json({ items }))
  })
  const wanted = [queries.suites.list.options({ projectId: 'p' })]
  const of = [{ id: 'p', name: 'p' }]
  const queryClient = createQueryClient()
  const readRuns = runReads(queryClient)
  let known: ReturnType<typeof readRuns> | undefined
  function Screen() {
    known = useNowReads(reader => readRuns(reader, of, reader.read('suites', wanted), Date.now()))
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  for (let second = 0; second < 20; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    await new Promise(done => setImmediate(done))
  }
  expect(known?.sources.find(({ kind }) => kind === 'schedules')).toMatchObject({ state: 'read', of: 'Smoke' })
  const sentences = known?.lines.map(({ sentence }) => sentence)
  if (enabled && intervalMinutes)
    expect(sentences).toEqual([expect.stringMatching(/^Smoke did not run, due (?:[-\d]+ )?\d\d:\d\d/)])
  else expect(sentences).toEqual([])
  unmount()
})

function range(length: number, name: string): string[] {
  return Array.from({ length }, (_, index) => `${name}${index}`)
}

test('after a write, what Now shows of its project is read first, however many other projects there are', async () => {
  const asked: string[] = []
  const { queries, draw } = openStage(
    async ({ url }) => {
      asked.push(new URL(url).pathname.split('/').at(-2)!)
      return Response.json({ items: [] })
    },
    createBudget({ capacity: 300, refillPerSecond: 300 }),
  )
  const queryClient = createQueryClient()
  const wanted = Array.from({ length: 51 }, (_, index) => queries.scenarios.list.options({ projectId: `p${index}` }))
  function Screen() {
    useNowReads(({ read }) => read('scenarios', wanted))
    return null
  }
  const { unmount } = draw(<Screen />, queryClient)
  await vi.advanceTimersByTimeAsync(3 * 60_000)
  expect(new Set(asked).size).toBe(wanted.length)
  asked.length = 0
  refresh(queryClient, contract.userTesting.update, { inputs: [{ projectId: 'p40' }] })
  await vi.advanceTimersByTimeAsync(3_000)
  unmount()
  expect(asked[0]).toBe('p40')
})
