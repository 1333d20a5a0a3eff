import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { VirtualClock } from '../../test/client/virtual-clock.ts'
import { ApiError } from '../api/client/errors/api-error.ts'
import { createBudget } from '../api/client/budget/budget.ts'
import { createQueryClient } from '../api/client/cache/query-client.ts'
import { createConnectionWatch } from './connection-watch.ts'

const lost = new ApiError({ kind: 'network', code: 'refused', message: 'connection refused', sent: false })
const PROJECTS = ['projects', 'list', {}]
const SUITES = ['suites', 'list', { projectId: 'p' }]
const TOOLS = ['servers', 'tools', { projectId: 'p', serverId: 's' }]

/** Creates a watch over queries on screen, whose connection the test can cut. */
function setup(keys: readonly (readonly unknown[])[], isUp = true, looks?: () => boolean) {
  const clock = new VirtualClock()
  const queryClient = createQueryClient()
  const line = { up: isUp, error: lost, asked: [] as { key: string; at: number }[], through: async () => {} }
  const ask = async (queryKey: readonly unknown[]): Promise<string> => {
    await line.through()
    line.asked.push({ key: String(queryKey[0]), at: clock.now() })
    if (!line.up) throw line.error
    return 'answer'
  }
  const show = (queryKey: readonly unknown[], staleTime = 0) =>
    new QueryObserver(queryClient, { queryKey, queryFn: () => ask(queryKey), staleTime }).subscribe(() => {})
  const stops = keys.map(queryKey => show(queryKey))
  const watch = createConnectionWatch(queryClient, clock, looks)
  const stop = watch.start()
  onTestFinished(() => {
    for (const end of [stop, ...stops]) end()
    queryClient.clear()
  })
  const leave = (): void => stops.splice(0).forEach(end => end())
  return { clock, queryClient, line, watch, stop, show, leave }
}

async function refreshAll(queryClient: QueryClient): Promise<void> {
  await queryClient.refetchQueries({ type: 'active' })
}

test.each([
  ['that is cut', true],
  ['that was never up', false],
])('a connection %s is detected once, and its return with a single repeated request', async (_, wasUp) => {
  const { clock, queryClient, line, watch } = setup([PROJECTS, SUITES], wasUp)
  await clock.advance(0)
  expect(watch.since() === undefined).toBe(wasUp)
  line.up = false
  if (wasUp) await refreshAll(queryClient)
  const since = clock.now()
  expect(watch.since()).toBe(since)
  line.asked.length = 0
  await clock.advance(60_000)
  expect(watch.since()).toBe(since)
  const pauses = line.asked.map(({ at }, index) => at - (line.asked[index - 1]?.at ?? since))
  expect(pauses).toEqual([2_000, 3_000, 4_500, 6_750, 10_125, 15_000, 15_000])
  line.up = true
  line.asked.length = 0
  await clock.advance(15_000)
  expect(watch.since()).toBeUndefined()
  expect(line.asked.map(({ key }) => key).sort()).toEqual(['projects', 'suites'])
  await clock.advance(600_000)
  expect(line.asked).toHaveLength(2)
  expect(clock.pending).toBe(0)
})

test('a screen without polling detects a lost connection within half a minute, unless it rests', async () => {
  let isResting = false
  const { clock, line, watch } = setup([PROJECTS, SUITES], true, () => !isResting)
  await clock.advance(1_000)
  line.asked.length = 0
  await clock.advance(300_000)
  // There is one read in half a minute, whatever is on screen.
  expect(line.asked.map(({ key }) => key)).toEqual(Array.from({ length: line.asked.length }, () => 'projects'))
  expect([line.asked.length >= 9, line.asked.length <= 10, watch.since()]).toEqual([true, true, undefined])
  line.up = false
  const cutAt = clock.now()
  await clock.advance(30_000)
  expect(watch.since()! - cutAt).toBeLessThanOrEqual(30_000)
  line.up = true
  await clock.advance(60_000)
  expect(watch.since()).toBeUndefined()
  isResting = true
  line.asked.length = 0
  await clock.advance(300_000)
  expect(line.asked).toEqual([])
})

const portal = new ApiError({ kind: 'invalid-response', code: 'html', message: 'a web page', sent: true })
const passing = new ApiError({ kind: 'http', status: 503, message: 'not now', sent: true })

test.each([
  ['a stall', lost],
  ['a portal', portal],
  ['a 503', passing],
])('after %s the first answer ends the outage, however many reads on screen wait for the budget', async (_, error) => {
  const suites = Array.from({ length: 120 }, (_, suite) => ['runs', 'list', { projectId: 'p', suiteId: `s${suite}` }])
  const { clock, queryClient, line, watch } = setup(suites)
  await clock.advance(0)
  const budget = createBudget({ clock })
  line.through = async () => {
    const permit = await budget.acquire()
    permit.release()
  }
  line.up = false
  line.error = error
  void refreshAll(queryClient)
  await clock.advance(130_000)
  expect(watch.since()).toBeDefined()
  line.up = true
  line.asked.length = 0
  while (line.asked.length === 0) await clock.advance(1_000)
  await clock.advance(1_000)
  expect(watch.since()).toBeUndefined()
  await clock.advance(150_000)
  expect(queryClient.getQueryCache().findAll({ predicate: query => query.state.error !== null })).toEqual([])
})

test('an MCP server that does not answer does not make the service count as lost', async () => {
  const { clock, queryClient, line, watch } = setup([TOOLS])
  line.up = false
  await refreshAll(queryClient)
  expect(watch.since()).toBeUndefined()
  expect(clock.pending).toBe(0)
})

test('a read on this machine does not count as an answer of a lost service', async () => {
  const { clock, queryClient, line, watch } = setup([PROJECTS])
  await clock.advance(0)
  line.up = false
  await refreshAll(queryClient)
  const since = watch.since()
  expect(since).toBeDefined()
  const ofThisMachine = { queryKey: ['open-writes'], queryFn: () => Promise.resolve([]) }
  onTestFinished(new QueryObserver(queryClient, ofThisMachine).subscribe(() => {}))
  expect(await queryClient.fetchQuery(ofThisMachine)).toEqual([])
  expect(watch.since()).toBe(since)
})

test('a lost connection stays lost on every screen, until the service answers', async () => {
  const { clock, queryClient, line, watch, show, leave } = setup([PROJECTS])
  await clock.advance(0)
  line.up = false
  await refreshAll(queryClient)
  const since = watch.since()
  expect(since).toBeDefined()
  leave()
  queryClient.setQueryData(SUITES, 'read before')
  expect(watch.since()).toBe(since)
  onTestFinished(show(SUITES, Infinity))
  await clock.advance(5_000)
  expect(watch.since()).toBe(since)
  line.up = true
  await clock.advance(15_000)
  expect(watch.since()).toBeUndefined()
})

test('no request is sent after the watch was stopped', async () => {
  const { clock, queryClient, line, stop } = setup([PROJECTS])
  line.up = false
  await refreshAll(queryClient)
  stop()
  line.asked.length = 0
  await clock.advance(600_000)
  expect(line.asked).toEqual([])
})

test('whenever the connection comes and goes, its state is soon correct and requests stay rare', async () => {
  const spans = fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.boolean(), spans, async (wasUp, lasting) => {
      const { clock, queryClient, line, watch, stop } = setup([PROJECTS, SUITES], wasUp)
      await clock.advance(0)
      for (const span of lasting) {
        line.up = !line.up
        if (!line.up) await refreshAll(queryClient)
        line.asked.length = 0
        await clock.advance(span)
        if (!line.up) expect(watch.since()).toBeDefined()
        else if (span >= 15_000) expect(watch.since()).toBeUndefined()
        expect(line.asked.length).toBeLessThanOrEqual(span / 2_000 + 2)
      }
      stop()
    }),
    { numRuns: 50 },
  )
})

test('while nothing fails, an answer to one of hundreds of reads does not examine the others', async () => {
  const keys = Array.from({ length: 300 }, (_, suite) => ['runs', 'list', { projectId: 'p', suiteId: `s${suite}` }])
  const { clock, queryClient, line, watch } = setup(keys)
  await clock.advance(0)
  const looks = vi.spyOn(queryClient.getQueryCache(), 'findAll')
  queryClient.setQueryData(keys[7]!, 'another answer')
  expect(looks).not.toHaveBeenCalled()
  looks.mockRestore()
  line.up = false
  await queryClient.refetchQueries({ queryKey: keys[7]! })
  expect(watch.since()).toBe(clock.now())
})
