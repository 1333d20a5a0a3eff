import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import { type ComparedRun, compareRuns } from '../../service/evals/comparison.ts'
import type { CaseSnapshot } from '../../service/evals/types.ts'
import { conclude } from './conclusion.ts'
import { compareRun, gatesOf, judgeGates } from './gate-facts.ts'
const CASES = ['a', 'b', 'c'] as const
type Made = {
  environment: 'prod' | 'staging' | undefined
  client: 'c1' | 'c2'
  model: 'm1' | 'm2'
  status: 'completed' | 'cancelled'
  /** Outcomes of the first cases of the suite. The remaining cases did not run. */
  outcomes: readonly TrialClass[]
}

/** Returns the runs of a suite as a service sends them, with the comparison of the local service. */
function historyOf(all: readonly Made[]) {
  const runs = all.map((made, index) => ({ made, id: `r${index}`, createdAt: index + 1 }))
  const snapshotsOf = ({ model, outcomes }: Made) =>
    outcomes.map((_, index): CaseSnapshot => {
      const key = CASES[index]!
      return { caseId: key, caseKey: key, title: key, model, steps: [], iterations: 1, isNegative: false, checks: [] }
    })
  const resultOf = ({ outcomes, status }: Made): EvalRun['result'] => {
    if (status === 'cancelled') return null
    return outcomes.includes('failed') ? 'failed' : outcomes.every(each => each === 'passed') ? 'passed' : null
  }
  const recordOf = ({ made, id, createdAt }: (typeof runs)[number]): EvalRun => ({
    id,
    suiteId: 's',
    createdAt,
    status: made.status,
    result: resultOf(made),
    environment: made.environment ? { id: made.environment } : null,
    client: { id: made.client, name: made.client },
    selectedCaseCount: made.outcomes.length,
    totalCaseCount: CASES.length,
  })
  const trialsOf = ({ made, id }: (typeof runs)[number]) =>
    made.outcomes.map((outcome, index): EvalIteration => {
      const result = outcome === 'passed' || outcome === 'failed' ? outcome : null
      const place = { id: `${id}-${index}`, testCaseId: CASES[index]!, title: CASES[index]!, iterationNumber: 1 }
      return { ...place, status: result ? 'completed' : 'failed', result, model: made.model }
    })
  const sideOf = ({ made, id, createdAt }: (typeof runs)[number]): ComparedRun => ({
    id,
    runNumber: createdAt,
    result: null,
    createdAt,
    completedAt: createdAt,
    summary: null,
    cases: snapshotsOf(made),
    trials: made.outcomes.map((outcome, variant) => ({
      iterationId: `${id}-${variant}`,
      variant,
      class: outcome,
      steps: [],
      checks: [],
    })),
  })
  const answer = (url: URL): unknown => {
    const [, id, of] = /eval-runs\/(\w+)(?:\/(\w+))?/.exec(url.pathname) ?? []
    const run = runs.find(each => each.id === id)
    if (!run) return { items: runs.map(recordOf).toReversed() }
    if (of === 'iterations') return { items: trialsOf(run) }
    if (of !== 'compare') return recordOf(run)
    const named = url.searchParams.get('baseRunId')
    const base = named ? runs.find(each => each.id === named) : runs[runs.indexOf(run) - 1]
    const suite = { id: 's', name: 's' }
    const policy = named ? 'run' : 'previous_completed'
    return base && compareRuns({ suite, policy, base: sideOf(base), compare: sideOf(run) })
  }
  const client = createClient({
    fetch: ({ url }) => {
      const body = answer(new URL(url))
      return Promise.resolve(
        body ? Response.json(body) : Response.json({ code: 'NOT_FOUND', message: 'none' }, { status: 404 }),
      )
    },
    baseUrl: 'http://service.invalid/v1',
    key: 'key',
    budget: createBudget({ unlimited: true }),
  })
  const last = runs.at(-1)!
  return { client, run: recordOf(last), trials: trialsOf(last) }
}

/** Returns how a command that follows the last run ends if only the gates decide. */
async function endOf(all: readonly Made[], base: 'last' | 'last-passed' | 'baseline') {
  const { client, run, trials } = historyOf(all)
  const followed = { kind: 'ended', run, trials } as const
  const place = { projectId: 'p', runId: run.id }
  const gates = gatesOf({ newFailuresAgainst: base, gatesOnly: true })
  const compared = await compareRun(client, place, followed, base, { signal: new AbortController().signal })
  const comparison = typeof compared === 'object' ? compared : undefined
  return conclude(followed, { gates: judgeGates(gates, followed, compared), gatesOnly: true, comparison })
}

const setting = {
  environment: fc.constantFrom('prod' as const, 'staging' as const, undefined),
  client: fc.constantFrom('c1' as const, 'c2' as const),
  model: fc.constantFrom('m1' as const, 'm2' as const),
}
const outcome = fc.constantFrom<TrialClass>(
  'passed',
  'passed',
  'passed',
  'passed',
  'passed',
  'failed',
  'execution_failed',
)
const made = (least: number) =>
  fc.record<Made>({
    ...setting,
    status: fc.constantFrom('completed', 'completed', 'completed', 'cancelled'),
    outcomes: fc.array(outcome, { minLength: least, maxLength: CASES.length }),
  })
const history = fc
  .tuple(fc.array(made(1), { maxLength: 8 }), made(CASES.length))
  .map(([earlier, last]) => [...earlier, last])
const word = fc.constantFrom('last' as const, 'last-passed' as const, 'baseline' as const)

test('whatever base is chosen, only a fully graded and passed run is green, and settings are never mixed', async () => {
  let green = 0
  await fc.assert(
    fc.asyncProperty(history, word, async (all, base) => {
      const { exitCode, comparison } = await endOf(all, base)
      const last = all.at(-1)!
      const used = comparison ? all[Number(comparison.baseRunId.slice(1))] : undefined
      if (used) {
        const settingOf = ({ environment, client, model }: Made) => ({ environment, client, model })
        expect(settingOf(used)).toEqual(settingOf(last))
      }
      if (exitCode === 1) expect(last.outcomes).toContain('failed')
      if (exitCode !== 0) return
      green += 1
      expect(last).toMatchObject({ status: 'completed', outcomes: CASES.map(() => 'passed') })
    }),
    { numRuns: 200 },
  )
  expect(green).toBeGreaterThan(0)
})

test('running the same run again without changes does not turn a failure green', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom('last' as const, 'last-passed' as const), async (all, base) => {
      const [first, again] = [await endOf(all, base), await endOf([...all, all.at(-1)!], base)]
      if (first.exitCode === 1 && all.some(({ outcomes }) => outcomes.length > 0)) expect(again.exitCode).not.toBe(0)
      if (base === 'last-passed' && first.exitCode === 1) expect(again.exitCode).toBe(1)
    }),
    { numRuns: 100 },
  )
})

test('a newly failing environment is a new failure, whatever the result of the other environments', async () => {
  const prod = { environment: 'prod', client: 'c1', model: 'm1', status: 'completed', outcomes: ['failed'] } as const
  const staging = { ...prod, environment: 'staging' } as const
  const green = { ...staging, outcomes: ['passed'] } as const
  for (const base of ['last', 'last-passed'] as const) {
    const { exitCode, gates } = await endOf([green, prod, staging].map(padded), base)
    expect({ exitCode, says: gates.at(-1)?.says }).toEqual({ exitCode: 1, says: '1 new failure: a' })
  }
})

function padded(run: Made): Made {
  return { ...run, outcomes: [...run.outcomes, 'passed', 'passed'] }
}
