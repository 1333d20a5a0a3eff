import { QueryClientProvider } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { createClient } from '../../api/client/client.ts'
import { NOW_READS, planReads } from '../../domain/now/plan.ts'
import { useConnection } from '../../hooks/use-connection.ts'
import { WorkspaceProvider } from '../../hooks/workspace.tsx'
import { useReads } from './use-reads.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

test('a run that waits, read ten times with the same answer, draws nothing; another answer draws once', async () => {
  let [asked, ended] = [0, 0]
  const answer = () => ({
    items: [{ id: 'r', suiteId: 's', status: 'running', createdAt: 1, summary: { total: ended } }],
  })
  const budget = createBudget({ unlimited: true })
  const client = createClient({
    fetch: () => {
      asked += 1
      return Promise.resolve(Response.json(answer()))
    },
    baseUrl: 'http://service.invalid/v1',
    key: 'key',
    budget,
  })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const queries = createQueries(client)
  const every = NOW_READS.live.every
  const counts = { live: 1, suites: 0, runs: 0, waves: 0, swarm: 0, scenarios: 0, scenario: 0, projects: 0, rights: 0 }
  const plan = { current: planReads(counts, 0) }
  const drawn = { header: 0, screen: 0 }
  const shown: unknown[] = []
  function Header() {
    useConnection()
    drawn.header += 1
    return null
  }
  function Screen() {
    const [runs] = useReads('live', plan, [queries.runs.list.options({ projectId: 'p', suiteId: 's' })])
    drawn.screen += 1
    shown.push(runs?.data?.items[0]?.summary?.total)
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider workspace={{ client, queries, budget, profile }}>
        <Header />
        <Screen />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  await vi.advanceTimersByTimeAsync(every)
  expect(shown.at(-1)).toBe(0)
  const before = { asked, ...drawn }
  await vi.advanceTimersByTimeAsync(18 * every)
  // What says the same five times is then read half as often.
  expect(asked - before.asked).toBeGreaterThanOrEqual(10)
  expect(asked - before.asked).toBeLessThanOrEqual(13)
  expect(drawn).toEqual({ header: before.header, screen: before.screen })
  ended = 1
  await vi.advanceTimersByTimeAsync(3 * every)
  await new Promise(drawn => setImmediate(drawn))
  expect([shown.at(-1), drawn.screen]).toEqual([1, before.screen + 1])
  unmount()
})
