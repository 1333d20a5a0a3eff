import { QueryClientProvider } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { createClient } from '../../api/client/client.ts'
import { NOW_READS, type NowReadKind } from '../../domain/now/plan.ts'
import { useConnection } from '../../hooks/use-connection.ts'
import { LONG_IDLE_FACTOR } from '../../domain/polling/cadence.ts'
import { type LinePace, WorkspaceProvider } from '../../hooks/workspace.tsx'
import { useNowReads } from './use-now-data.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

/** Pace of a session in which no key was pressed for a long time. */
const NOBODY: LinePace = { pollFactor: () => LONG_IDLE_FACTOR, isResting: () => true, subscribe: () => () => undefined }

test.each<[NowReadKind, number]>([
  ['suites', 60_000],
  ['rights', NOW_READS.rights.every],
  ['live', 60_000],
])('without a key Now reads %s every %i ms, and the header says the same', async (kind, every) => {
  let asked = 0
  let text = ''
  const client = createClient({
    fetch: () => {
      asked += 1
      return Promise.resolve(Response.json({ items: [{ id: String(asked), name: 'Desk' }] }))
    },
    baseUrl: 'http://service.invalid/v1',
    key: 'key',
    budget: createBudget({ unlimited: true }),
  })
  const queries = createQueries(client)
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const wanted = [queries.projects.list.options({})]
  function Header() {
    text = useConnection().text
    return null
  }
  function Screen() {
    useNowReads(({ read }) => read(kind, wanted))
    return null
  }
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <WorkspaceProvider
        workspace={{ client, queries, budget: createBudget({ unlimited: true }), profile, pace: NOBODY }}
      >
        <Header />
        <Screen />
      </WorkspaceProvider>
    </QueryClientProvider>,
  )
  const said = new Set<string>()
  const rounds = 10
  for (let passed = 0; passed < rounds * every; passed += every / 10) {
    await vi.advanceTimersByTimeAsync(every / 10)
    await new Promise(drawn => setImmediate(drawn))
    said.add(text)
  }
  unmount()
  // Wakes are shared, so a read may be slightly late.
  expect(asked).toBeGreaterThanOrEqual(rounds * 0.8)
  expect([...said]).toEqual(['fresh'])
})
