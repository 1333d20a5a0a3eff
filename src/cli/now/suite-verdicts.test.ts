import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import type { NowSummary } from '../../domain/now/summary.ts'
import { lookAtNow, isOver, seenOf } from './now-command.ts'

const HOUR = 60 * 60_000
const NOW = Date.now()

type Answer = { suite: { id: string } & Record<string, unknown>; runs: readonly object[] }

let testService: TestService
let projectId: string
/** Answers about suites and their runs, by the id of the suite. Other answers are those of a real service. */
let answers: ReadonlyMap<string, Answer> = new Map()
beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      const path = new URL(request.url).pathname.split('/eval-suites')[1]
      if (path === undefined) return await fetch(request)
      const [, suiteId, ofRuns] = path.split('/')
      if (suiteId === undefined) return Response.json({ items: [...answers.values()].map(({ suite }) => suite) })
      const { suite, runs } = answers.get(suiteId)!
      return Response.json(ofRuns ? { items: runs } : suite)
    },
  })
  projectId = (await testService.client.projects.create({ body: { name: 'Quiet' } })).id
})
afterAll(() => testService.close())

async function lookAt(all: readonly Answer[]): Promise<NowSummary> {
  answers = new Map(all.map(answer => [answer.suite.id, answer]))
  const { client } = testService
  const profile = { name: 'local', host: '', local: true, readOnly: false }
  const workspace = { client, queries: createQueries(client), budget: createBudget({ unlimited: true }), profile }
  const found = Promise.withResolvers<NowSummary>()
  const stop = lookAtNow(
    workspace,
    [projectId],
    look => {
      const seen = seenOf(look, 'local')
      if (isOver(seen)) found.resolve(seen.summary)
    },
    createQueryClient(),
  )
  const summary = await found.promise
  await stop()
  return summary
}

/** Whether a summary reports no problem with this suite. */
function isClear({ items, read }: NowSummary, { suite }: Answer): boolean {
  const texts = [...items.map(({ says }) => says), ...read.missing.map(({ what }) => what)]
  return !texts.some(text => text.includes(suite.id))
}

const DAYS = 24 * HOUR
const passed = {
  id: 'old',
  suiteId: 's',
  status: 'completed',
  result: 'passed',
  source: 'api',
  createdAt: NOW - 9 * DAYS,
}
const failed = { ...passed, result: 'failed' }
const latest = { id: 'new', status: 'failed', createdAt: NOW - 3 * DAYS }

describe('a suite is not clear', () => {
  const unclear = (suite: object, ...runs: object[]) => ({ suite: { id: 'suite-a', ...suite }, runs })
  test.each([
    ['totals have a failure, and no latest run is stated', 'red', unclear({ totals: { failed: 1 } }, failed)],
    [
      'totals have a failure, and the latest run is null',
      'red',
      unclear({ totals: { failed: 1 }, latestRun: null }, failed),
    ],
    ['totals have a failure, and no run is listed', 'unknown', unclear({ totals: { failed: 1 } })],
    [
      'latest run failed without figures three days ago',
      'red',
      unclear({ latestRun: latest }, { ...latest, suiteId: 's' }),
    ],
    ['latest run failed, and no run is listed', 'unknown', unclear({ latestRun: latest })],
    ['latest run failed, and only older runs are listed', 'unknown', unclear({ latestRun: latest }, passed)],
    ['latest run without an id failed', 'unknown', unclear({ latestRun: { ...latest, id: null } }, passed)],
    [
      'latest run has no figures, and failed',
      'red',
      unclear({ latestRun: { id: 'old', status: 'completed' } }, failed),
    ],
    [
      'latest run has no failure in its figures, and failed all the same',
      'red',
      unclear({ latestRun: { ...latest, id: 'old', status: 'completed', passed: 4, failed: 0 } }, failed),
    ],
    [
      'latest run ended without a verdict three days ago',
      'unknown',
      unclear({ latestRun: { ...latest, id: 'old', status: 'completed' } }, { ...passed, result: null }),
    ],
    [
      'runs never covered all of its cases',
      'unknown',
      unclear({ latestRun: { ...latest, id: 'old' } }, { ...passed, selectedCaseCount: 1, totalCaseCount: 6 }),
    ],
  ])('if its %s', async (_, state, answer) => {
    const summary = await lookAt([answer])
    expect(isClear(summary, answer)).toBe(false)
    expect(summary.state).toBe(state)
  })
})

test('suites that never ran, or whose last complete run passed, are clear with a minimal answer', async () => {
  const all = [
    { suite: { id: 'suite-never', totals: {}, passRateTrend: [] }, runs: [] },
    { suite: { id: 'suite-sparse', totals: {}, passRateTrend: [] }, runs: [passed] },
    {
      suite: {
        id: 'suite-whole',
        latestRun: { ...passed, passed: 2, failed: 0 },
        totals: { passed: 2, failed: 0, runs: 1 },
      },
      runs: [passed],
    },
  ]
  expect(await lookAt(all)).toMatchObject({ state: 'clear', items: [], read: { missing: [] } })
})

const OUTCOMES = {
  passed: { status: 'completed', result: 'passed', figures: { passed: 6, failed: 0 } },
  failed: { status: 'completed', result: 'failed', figures: { passed: 5, failed: 1 } },
  'failed without a failure in its figures': {
    status: 'completed',
    result: 'failed',
    figures: { passed: 3, failed: 0 },
  },
  broken: { status: 'failed', result: null, figures: { passed: 0, failed: 0 } },
  undecided: { status: 'completed', result: null, figures: { passed: 6, failed: 0 } },
  cancelled: { status: 'cancelled', result: null, figures: { passed: 1, failed: 0 } },
  running: { status: 'running', result: null, figures: { passed: 1, failed: 0 } },
} as const
type Outcome = keyof typeof OUTCOMES

/** Generates the record with any of its fields missing or null. */
const lossy = (fields: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .record(Object.fromEntries(Object.keys(fields).map(name => [name, fc.constantFrom('there', 'missing', 'null')])))
    .map(states =>
      Object.fromEntries(
        Object.entries(fields).flatMap(([name, value]) =>
          states[name] === 'missing' ? [] : [[name, states[name] === 'null' ? null : value]],
        ),
      ),
    )

type Step = { outcome: Outcome; isPart: boolean; gap: number }
const history = fc.array(
  fc.record<Step>({
    outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])),
    isPart: fc.boolean(),
    gap: fc.integer({ min: 1, max: 60 }),
  }),
  { maxLength: 4 },
)

/** Generates a suite with its runs, without fields that a service may leave out; some lists lack the latest run. */
const told = history.chain(steps => {
  const ages = steps.map((_, index) => steps.slice(index).reduce((sum, { gap }) => sum + gap, 0))
  const truths = steps.map((step, index) => {
    const { status, result, figures } = OUTCOMES[step.outcome]
    const whole = { total: 6, ...figures }
    return { ...step, id: `r${index}`, status, result, summary: whole, createdAt: NOW - ages[index]! * HOUR }
  })
  const runs = truths.map(({ id, status, result, summary, createdAt, isPart }, index) =>
    lossy({ runNumber: index + 1, result, summary, notes: 'x', completedAt: createdAt + 1 }).map(fields => ({
      ...fields,
      id,
      suiteId: 's',
      status,
      source: 'api',
      createdAt,
      ...(isPart && { selectedCaseCount: 2, totalCaseCount: 6 }),
    })),
  )
  const last = truths.at(-1)
  const sum = (of: 'passed' | 'failed') => truths.reduce((all, { summary }) => all + summary[of], 0)
  const latestRun = last && { id: last.id, status: last.status, ...last.summary, createdAt: last.createdAt }
  return fc.record({
    truths: fc.constant(truths),
    runs: fc.tuple(...runs).map(all => all.toReversed()),
    isLate: fc.boolean(),
    suite: fc.tuple(
      lossy({
        projectId: 'p',
        createdAt: 1,
        passRateTrend: truths.map(({ summary }) => summary.passed / 6),
        latestRun,
      }),
      lossy({ passed: sum('passed'), failed: sum('failed'), runs: truths.length }),
      lossy(latestRun ?? {}),
    ),
  })
})

test('whatever a service leaves out, a suite is clear only if its last complete run passed', async () => {
  const seen = { clear: 0, unclear: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(told, { minLength: 40, maxLength: 40 }), async all => {
      const suites = all.map(({ truths, runs, isLate, suite: [fields, totals, latestRun] }, index) => {
        const stated = fields['latestRun'] == null ? fields : { ...fields, latestRun }
        // A list without the latest run can be recognized only if the suite names that run.
        const lacks = isLate && fields['latestRun'] != null && (latestRun['id'] ?? latestRun['createdAt']) != null
        const suite = { ...stated, totals, id: `suite-${index}-` }
        return { suite, truths, runs: lacks ? runs.slice(1) : runs }
      })
      const summary = await lookAt(suites)
      for (const each of suites) {
        const ended = each.truths.filter(({ outcome }) => outcome !== 'cancelled' && outcome !== 'running')
        const whole = ended.findLast(({ isPart }) => !isPart)
        const isPassed = ended.length === 0 || whole?.outcome === 'passed'
        const clear = isClear(summary, each)
        seen[clear ? 'clear' : 'unclear'] += 1
        if (clear) expect({ each, isPassed }).toMatchObject({ isPassed: true })
      }
      expect(summary.state === 'clear' && !suites.every(each => isClear(summary, each))).toBe(false)
    }),
    { numRuns: 10 },
  )
  expect(seen).toMatchObject({ clear: expect.any(Number), unclear: expect.any(Number) })
  expect(Math.min(seen.clear, seen.unclear)).toBeGreaterThan(0)
})
