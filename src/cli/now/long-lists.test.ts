import { expect, test } from 'vitest'
import { PATIENCE } from '../../../test/patience.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { createClient } from '../../api/client/client.ts'
import { MOST_READ } from '../../domain/now/plan.ts'
import type { NowSummary } from '../../domain/now/summary.ts'
import { lookAtNow, seenOf } from './now-command.ts'

const COUNT = 5_000
/** Number of reads of a project in addition to those of its suites, runs and scenarios. */
const OF_A_PROJECT = 6

const many = (make: (at: number) => object): object[] => Array.from({ length: COUNT }, (_, at) => make(at))
const project = (at: number) => ({ id: `p${at}`, name: `project ${at}`, createdAt: 1, updatedAt: 1 })
const failed = { id: 'r', status: 'completed', result: 'failed', failed: 1, passed: 0, createdAt: 1 }
const inFlight = { id: 'r', status: 'running', createdAt: 1 }
const suite = (at: number, latestRun: object) => ({ id: `s${at}`, name: `suite ${at}`, latestRun })
const scenario = (at: number) => ({ id: `s${at}`, name: `scenario ${at}`, createdAt: 1, updatedAt: 1 })

/** Runs Now with a service that returns these lists, by the end of their path, until something is reported missing. */
async function look(lists: Record<string, readonly object[]>, missing: string) {
  const answers: Record<string, object> = { '/projects': { items: [project(0)] }, '/journeys-overview': { runs: [] } }
  for (const [path, items] of Object.entries(lists)) answers[path] = { items }
  const fetch = async ({ url }: { url: string }) => {
    const { pathname } = new URL(url)
    const [, answer = { items: [] }] = Object.entries(answers).find(([path]) => pathname.endsWith(path)) ?? []
    return Response.json(answer)
  }
  const budget = createBudget({ unlimited: true })
  const client = createClient({ fetch, baseUrl: 'http://service.invalid/api/v1', key: 'key', budget })
  const queryClient = createQueryClient()
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const found = Promise.withResolvers<{ summary: NowSummary; queries: number }>()
  const stop = lookAtNow(
    { client, queries: createQueries(client), budget, profile },
    undefined,
    now => {
      const { summary } = seenOf(now, 'test')
      if (summary.read.missing.some(({ what }) => what === missing))
        found.resolve({ summary, queries: queryClient.getQueryCache().getAll().length })
    },
    queryClient,
  )
  const { summary, queries } = await found.promise
  await stop()
  expect(summary.read.whole).toBe(false)
  expect(summary.state).not.toBe('clear')
  return { summary, queries }
}

test('if there are more projects than Now reads, the output says that there are more', PATIENCE, async () => {
  const { summary, queries } = await look({ '/projects': many(project) }, 'projects')
  expect(summary.read.projects).toBe(MOST_READ.projects)
  expect(queries).toBeLessThanOrEqual(1 + OF_A_PROJECT * MOST_READ.projects)
})

test(
  'if the runs of some suites are not read, the output counts these suites, and failed suites come first',
  PATIENCE,
  async () => {
    const { most, left } = { most: MOST_READ.suites, left: COUNT - MOST_READ.suites }
    const suites = many(at => suite(at, at === COUNT - 1 ? failed : { ...failed, failed: 0, createdAt: Date.now() }))
    const { queries } = await look({ '/eval-suites': suites }, `runs of ${left.toLocaleString('en')} further suites`)
    expect(queries).toBeLessThanOrEqual(1 + OF_A_PROJECT + 2 * most)
  },
)

test('if some runs in flight are not followed, the output counts them', PATIENCE, async () => {
  const runs = many(at => ({ ...inFlight, id: `r${at}`, suiteId: 's0' }))
  const left = (COUNT - MOST_READ.runs).toLocaleString('en')
  const { queries } = await look(
    { '/eval-suites': [suite(0, inFlight)], '/eval-suites/s0/runs': runs, '/eval-runs': runs },
    `running runs of ${left} further runs`,
  )
  expect(queries).toBeLessThanOrEqual(3 + OF_A_PROJECT + MOST_READ.runs)
})

test('if the findings of some scenarios are not read, the output counts these scenarios', PATIENCE, async () => {
  const left = (COUNT - MOST_READ.scenarios).toLocaleString('en')
  const { queries } = await look({ '/scenarios': many(scenario) }, `scenario findings of ${left} further scenarios`)
  expect(queries).toBeLessThanOrEqual(1 + OF_A_PROJECT + MOST_READ.scenarios)
})

test('data that is repeated in a list is read once', PATIENCE, async () => {
  const { queries } = await look(
    { '/scenarios': [...many(() => scenario(0)), ...many(scenario).slice(0, MOST_READ.scenarios + 1)] },
    'scenario findings of 1 further scenario',
  )
  expect(queries).toBeLessThanOrEqual(1 + OF_A_PROJECT + MOST_READ.scenarios)
})
