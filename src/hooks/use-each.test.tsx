import { QueryClientProvider } from '@tanstack/react-query'
import fc from 'fast-check'
import { render } from 'ink-testing-library'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../test/patience.ts'
import { createBudget } from '../api/client/budget/budget.ts'
import { createQueries } from '../api/client/cache/queries.ts'
import { createQueryClient } from '../api/client/cache/query-client.ts'
import { createClient } from '../api/client/client.ts'
import { firstOfEach } from '../lib/first-of-each.ts'
import { useLiveQueries } from './use-api-query.ts'
import { idOf, MOST_EACH, ownName, useEach } from './use-each.ts'
import { WorkspaceProvider } from './workspace.tsx'

test('the first few different names keep their order, and the rest are counted', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 })), fc.nat(20), (names, most) => {
      const { first, left } = firstOfEach(names, ownName, most)
      const different = [...new Set(names)]
      expect(first).toEqual(different.slice(0, most))
      expect(first.length + left).toBe(different.length)
    }),
  )
})

test.each(['once', 'again and again'])(
  'only a limited number of the records in a list is read, each once: %s',
  async how => {
    const asked: string[] = []
    const budget = createBudget({ unlimited: true })
    const fetch = async ({ url }: { url: string }) => {
      asked.push(new URL(url).pathname.split('/').at(-1)!)
      return Response.json({ id: 'x', status: 'completed' })
    }
    const client = createClient({ fetch, baseUrl: 'http://service.invalid/v1', key: 'key', budget })
    const queries = createQueries(client)
    const queryClient = createQueryClient()
    const runs = Array.from({ length: 3_000 }, (_, at) => ({ id: `r${Math.floor(at / 3)}` }))
    const of = {
      nameOf: idOf,
      options: ({ id }: { id: string }) => queries.journeyRuns.get.options({ projectId: 'p', runId: id }),
    }
    let shown: { first: readonly object[]; left: number; reads: readonly { data: unknown }[] } | undefined
    function Once() {
      shown = useEach(runs, of)
      return null
    }
    function Live() {
      shown = useLiveQueries(runs, { ...of, isLive: data => data === undefined })
      return null
    }
    const { unmount } = render(
      <QueryClientProvider client={queryClient}>
        <WorkspaceProvider
          workspace={{
            client,
            queries,
            budget,
            profile: { name: 'test', host: 'service.invalid', local: false, readOnly: false },
          }}
        >
          {how === 'once' ? <Once /> : <Live />}
        </WorkspaceProvider>
      </QueryClientProvider>,
    )
    await vi.waitFor(() => expect(shown?.reads.every(({ data }) => data)).toBe(true), PATIENCE)
    expect(new Set(asked).size).toBe(MOST_EACH)
    expect(queryClient.getQueryCache().getAll()).toHaveLength(MOST_EACH)
    expect(shown).toMatchObject({ left: 1_000 - MOST_EACH })
    expect(shown?.first).toHaveLength(MOST_EACH)
    unmount()
    queryClient.clear()
  },
)
