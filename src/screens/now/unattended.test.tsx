import { QueryClientProvider } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { useEffect, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createPollingClient } from '../../api/client/cache/query-client.ts'
import { createClient } from '../../api/client/client.ts'
import { useLiveQuery } from '../../hooks/use-api-query.ts'
import { REST } from '../../hooks/use-poll.ts'
import { type Workspace, WorkspaceProvider } from '../../hooks/workspace.tsx'
import { gatherNews } from '../../lib/clock.ts'
import { usePlan, useReads } from './use-reads.ts'

test('where nobody is, a run that Now and the header read is drawn once for both', async () => {
  vi.useFakeTimers({
    // Minutes begin a moment before a poll, which takes their draw along.
    now: Date.UTC(2026, 0, 1, 12, 0, 45),
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
  const queryClient = createPollingClient()
  gatherNews(100)
  onTestFinished(() => {
    gatherNews(0)
    queryClient.clear()
    vi.useRealTimers()
  })
  // It goes on all the time, so that each answer is another one.
  const run = () => ({ id: 'r', suiteId: 's', status: 'running', createdAt: 1, summary: { total: performance.now() } })
  const fetch = ({ url }: { url: string }) =>
    Promise.resolve(Response.json(new URL(url).pathname.endsWith('/r') ? run() : { items: [run()] }))
  const budget = createBudget({ unlimited: true })
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
  const queries = createQueries(client)
  const pace = { pollFactor: () => REST, subscribe: () => () => undefined }
  const profile = { name: 'test', host: 'service.invalid', local: true, readOnly: false }
  const workspace = { client, queries, budget, profile, pace } as Workspace
  const drawn = { header: new Set<number>(), screen: new Set<number>() }
  function Header() {
    drawn.header.add(performance.now())
    useLiveQuery(queries.runs.get.options({ projectId: 'p', runId: 'r' }), { isLive: () => true, requestsEach: 1 })
    return null
  }
  function Screen() {
    drawn.screen.add(performance.now())
    useReads('live', usePlan(), [queries.runs.list.options({ projectId: 'p', suiteId: 's' })])
    return null
  }
  /** Now is opened while the poll of the header is half way to its next time. */
  function Opened() {
    const [isOpen, open] = useState(false)
    useEffect(() => {
      const timer = setTimeout(() => open(true), 90_000 - (performance.now() % 20_000))
      return () => clearTimeout(timer)
    }, [])
    return isOpen && <Screen />
  }
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <WorkspaceProvider workspace={workspace}>
        <Header />
        <Opened />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  const pass = async (seconds: number): Promise<void> => {
    for (let step = 0; step < seconds * 20; step += 1) {
      await vi.advanceTimersByTimeAsync(50)
      // What was asked for in this moment is answered in it, however busy the machine is.
      do await new Promise(turned => setImmediate(turned))
      while (queryClient.isFetching() > 0)
    }
  }
  await pass(180)
  drawn.header.clear()
  drawn.screen.clear()
  await pass(120)
  expect(drawn.screen.size).toBe(6)
  expect(drawn.screen).toEqual(drawn.header)
  unmount()
})
