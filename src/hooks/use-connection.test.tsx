import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Budget, createBudget } from '../api/client/budget/budget.ts'
import { createQueries } from '../api/client/cache/queries.ts'
import { createQueryClient, PLANNED } from '../api/client/cache/query-client.ts'
import { createClient } from '../api/client/client.ts'
import { ApiError } from '../api/client/errors/api-error.ts'
import type { ServiceMonitor } from '../api/client/transport/service-monitor.ts'
import { contract } from '../api/contract/contract.ts'
import { systemClock } from '../lib/clock.ts'
import { localClock } from '../lib/times.ts'
import { useApiQuery } from './use-api-query.ts'
import { useConnection } from './use-connection.ts'
import { type LinePace, WorkspaceProvider } from './workspace.tsx'
import { slowAnswer } from '../../test/pause.ts'

beforeEach(
  () =>
    void vi.useFakeTimers({
      now: Date.UTC(2026, 0, 1, 12),
      toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    }),
)
afterEach(() => void vi.useRealTimers())

/** Lets time pass, and then lets React render. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await new Promise(drawn => setImmediate(drawn))
}

/**
 * Returns each text of the header in order. One read is repeated at the given pause and answered within 20 ms, with
 * another read beside it.
 */
function said(
  refetchInterval: number | false,
  meta = {},
  more = {},
  budget = createBudget({ unlimited: true }),
  beside?: object,
) {
  const texts: string[] = []
  const drawn = vi.fn<() => void>()
  const fetch = () => Promise.reject(new Error('not called'))
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const workspace = { client, queries: createQueries(client), budget, profile }
  function Header() {
    const { text } = useConnection()
    drawn()
    if (texts.at(-1) !== text) texts.push(text)
    return null
  }
  function Page() {
    const queryFn = () => slowAnswer(20, 'the same')
    useQuery({ queryKey: ['page'], queryFn, refetchInterval, meta, ...more })
    useQuery({ queryKey: ['beside'], queryFn, enabled: beside !== undefined, ...beside })
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider workspace={workspace}>
        <Header />
        <Page />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  return { texts, drawn, unmount }
}

test('data that is read every minute stays fresh between reads, and renders nothing', async () => {
  const { texts, drawn, unmount } = said(60_000)
  await pass(1_000)
  drawn.mockClear()
  await pass(5 * 60_000)
  expect(texts.filter(text => !['', 'reading'].includes(text))).toEqual(['fresh'])
  expect(drawn).not.toHaveBeenCalled()
  unmount()
})

test('data of an earlier session is stale, except if it never changes and is never read again', async () => {
  const restored = { initialData: 'as before', initialDataUpdatedAt: Date.now() - 600_000, staleTime: Infinity }
  const changing = said(false, {}, restored)
  await pass(50)
  expect(changing.texts).toContain('stale, 10m old')
  changing.unmount()
  const final = said(false, {}, { ...restored, refetchOnMount: false })
  await pass(50)
  expect(final.texts.filter(text => text !== '')).toEqual([])
  final.unmount()
})

test('data that is read every few minutes is old only if its next read is late', async () => {
  const { texts, unmount } = said(false, { every: 5 * 60_000 })
  await pass(6 * 60_000)
  expect(texts.filter(text => !['', 'reading'].includes(text))).toEqual(['fresh'])
  await pass(30_000)
  expect(texts.at(-1)).toBe('1m old')
  unmount()
})

test('only the leading reads of a plan determine the age of the screen', async () => {
  const old = { initialData: 'as before', initialDataUpdatedAt: Date.now() - 600_000, staleTime: Infinity }
  const plan = { owner: PLANNED, every: 60_000 }
  const led = said(60_000, { ...plan, leads: true }, {}, undefined, { meta: plan, ...old })
  await pass(2_000)
  expect(led.texts.filter(text => !['', 'reading'].includes(text))).toEqual(['fresh'])
  led.unmount()
  const alone = said(false, plan, old)
  await pass(50)
  expect(alone.texts).toContain('stale, 10m old')
  alone.unmount()
})

test('data that is not read again is shown with its age', async () => {
  const { texts, unmount } = said(false)
  await pass(64_000)
  expect(texts.at(-1)).toBe('fresh')
  await pass(2_000)
  expect(texts.at(-1)).toBe('1m old')
  await pass(60_000)
  expect(texts.at(-1)).toBe('2m old')
  unmount()
})

/** Returns the texts of the header after the client noticed something; the text of a narrow terminal is last. */
async function header(notice: (monitor: ServiceMonitor) => void): Promise<string[]> {
  const budget = createBudget({ unlimited: true })
  const fetch = () => Promise.reject(new Error('not called'))
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
  notice(client.monitor)
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  let texts: string[] = []
  function Headers() {
    texts = [useConnection().text, useConnection(true).text]
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider workspace={{ client, queries: createQueries(client), budget, profile }}>
        <Headers />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  await pass(1_000)
  unmount()
  return texts
}

test('a slow connection is shown with its consequences if there is room', async () => {
  expect(await header(monitor => void (monitor.slowLine = () => 5_000))).toEqual([
    'slow line, 5 KB/s: smaller pages',
    'slow line, 5 KB/s',
  ])
})

test('after the machine was suspended, waits and last answers are shown in wall-clock time', async () => {
  const [evening, morning] = [Date.UTC(2100, 0, 1, 23, 0, 20), Date.UTC(2100, 0, 2, 7, 0, 20)]
  const endpoint = contract.projects.list
  const error = new ApiError({ kind: 'http', message: 'busy', status: 503, answer: 'contract', sent: true })
  // The clock that measures waits stops while the machine is suspended.
  vi.setSystemTime(morning)
  const since = systemClock.now() - 6_000
  expect(await header(monitor => void (monitor.silentSince = () => since))).toContain('no answer for 5s')
  const [text] = await header(monitor => {
    vi.setSystemTime(evening)
    monitor.begin(endpoint).ended('answered')
    vi.setSystemTime(morning)
    expect(monitor.lastAnswerAt()).toBe(evening)
    monitor.pausing({ endpoint, error, at: systemClock.now() + 3_600_000 })
  })
  expect(text).toMatch(`503 until ${localClock(morning + 3_600_000)}:`)
})

test('the end of an outage that a service names stays as shown until it changes by much', async () => {
  const error = new ApiError({ kind: 'http', message: 'busy', status: 503, answer: 'contract', sent: true })
  const endpoint = contract.projects.list
  const texts: string[] = []
  const budget = createBudget({ unlimited: true })
  const fetch = () => Promise.reject(new Error('not called'))
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  function Header() {
    const { text } = useConnection()
    if (texts.at(-1) !== text) texts.push(text)
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider workspace={{ client, queries: createQueries(client), budget, profile }}>
        <Header />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  const refuse = async (forMs: number, passes: number): Promise<void> => {
    const end = client.monitor.pausing({ endpoint, error, at: systemClock.now() + forMs })
    await pass(passes)
    end()
  }
  texts.length = 0
  for (let round = 0; round < 6; round += 1) await refuse(5_000, 5_000)
  await refuse(3_600_000, 1_000)
  unmount()
  const refused = [...new Set(texts.filter(text => text.startsWith('503')))]
  expect(refused.filter(text => text.startsWith('503 until'))).toHaveLength(2)
  expect(refused.find(text => !text.startsWith('503 until'))).toBe('503, no answer yet')
})

test('requests that wait for the budget in turn are shown as one wait, which ends soon after the last', async () => {
  const real = createBudget()
  const listeners = new Set<() => void>()
  let waiting = 0
  const budget: Budget = {
    ...real,
    snapshot: () => ({ ...real.snapshot(), waiting }),
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const { texts, unmount } = said(false, {}, {}, budget)
  await pass(70_000)
  expect(texts.at(-1)).toBe('1m old')
  texts.splice(0, Infinity, '1m old')
  for (let turn = 0; turn < 20; turn += 1) {
    waiting = turn % 2
    for (const listener of listeners) listener()
    await pass(250)
  }
  waiting = 0
  for (const listener of listeners) listener()
  await pass(20_000)
  unmount()
  expect(texts).toEqual(['1m old', '1m old, waiting for the budget', '1m old'])
})

test('while polling rests, a screen is rarely read, and the header says that it rests', async () => {
  let [asked, isResting, text] = [0, false, '']
  const listeners = new Set<() => void>()
  const pace: LinePace = {
    pollFactor: () => 1,
    isResting: () => isResting,
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const fetch = () => {
    asked += 1
    return Promise.resolve(Response.json({ items: [] }))
  }
  const budget = createBudget({ unlimited: true })
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const queries = createQueries(client)
  function Header() {
    text = useConnection().text
    return null
  }
  function Page() {
    useApiQuery(queries.projects.list.options({}))
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider workspace={{ client, queries, budget, profile, pace }}>
        <Header />
        <Page />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  await pass(1_000)
  for (let minute = 0; minute < 10; minute += 1) await pass(60_000)
  expect([asked > 10, text]).toEqual([true, 'fresh'])
  isResting = true
  for (const listener of listeners) listener()
  await pass(1_000)
  asked = 0
  await pass(20 * 60_000)
  expect(asked).toBeLessThanOrEqual(2)
  expect(text).toMatch(/^\d+m old, polling paused until a key$/)
  isResting = false
  for (const listener of listeners) listener()
  await pass(1_000)
  await pass(60_000)
  expect([asked > 0, text]).toEqual([true, 'fresh'])
  unmount()
})
