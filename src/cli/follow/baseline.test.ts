import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { judgeBaselines, openBaseline } from './baseline.ts'
import { conclude } from './conclusion.ts'
import { gatesOf, judgeGates } from './gate-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-baseline-'))
beforeAll(() => vi.stubEnv('XDG_STATE_HOME', join(folder, 'state')))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
let files = 0

const TITLES = ['a', 'says "no", twice', 'b\nc'] as const
type Trial = 'passed' | 'failed' | 'crashed'
/** A run of some cases, each with its trials; `suite` is the number of cases that its suite had at that time. */
type Made = {
  environment: 'prod' | 'staging' | undefined
  client: 'c1' | 'c2'
  model: 'm1' | 'm2'
  isOverride: boolean
  suite: number
  outcomes: readonly (readonly Trial[] | 'left out' | 'lost')[]
}
const casesOf = ({ suite, outcomes }: Made) => outcomes.slice(0, suite)

/** Returns the run as stored in its own workspace, in which all ids differ. */
function workspaceOf(made: Made, workspace: number) {
  const { environment, client: name, model, isOverride } = made
  const own = (id: string): string => `w${workspace}-${id}`
  const cases = casesOf(made).map((outcome, index) => ({ id: own(`case${index}`), title: TITLES[index]!, outcome }))
  const trials = cases.flatMap(({ id, title, outcome }) =>
    typeof outcome === 'string'
      ? []
      : outcome.map((trial, index): EvalIteration => {
          const place = { id: own(`${title}-${index}`), testCaseId: id, title, iterationNumber: index + 1, model }
          return { ...place, status: trial === 'crashed' ? 'failed' : 'completed', result: verdictOf(trial) }
        }),
  )
  const results = trials.map(({ result }) => result)
  const run: EvalRun = {
    id: own('run'),
    suiteId: own('suite'),
    createdAt: 1,
    status: 'completed',
    result: results.includes('failed') ? 'failed' : results.includes('passed') ? 'passed' : null,
    environment: environment ? { id: own(environment), name: environment } : null,
    client: { id: own(name), name },
    modelSource: isOverride ? 'override' : 'case',
  }
  const suite = { id: run.suiteId, name: 'Smoke' }
  const answer = (path: string): unknown => {
    if (path.endsWith('/cases'))
      return { items: cases.map(({ id, title }) => ({ id, declaredId: id, title, steps: [] })) }
    return path.endsWith('/eval-suites') ? { items: [suite] } : suite
  }
  const client = createClient({
    fetch: ({ url }) => Promise.resolve(Response.json(answer(new URL(url).pathname))),
    baseUrl: 'http://service.invalid/v1',
    key: 'key',
    budget: createBudget({ unlimited: true }),
  })
  const asked = cases.filter(({ outcome }) => outcome !== 'left out').map(({ id }) => id)
  return { client, run, trials, asked }
}

function verdictOf(trial: Trial): 'passed' | 'failed' | null {
  return trial === 'crashed' ? null : trial
}

/** Returns how a command ends if it compares the run with the file, or writes the file. */
async function endOf(made: Made, workspace: number, file: string, updateBaseline: boolean) {
  const { client, run, trials, asked } = workspaceOf(made, workspace)
  // The file lists every case, however few trials must be graded.
  const options = { baseline: file, updateBaseline, minGraded: workspace % 2 }
  const followed = { kind: 'ended', run, trials } as const
  const places = [{ place: { projectId: 'p', runId: run.id }, followed }]
  const rest = { launched: { asked }, missing: false, signal: new AbortController().signal }
  const [known] = await judgeBaselines(client, openBaseline(options)!, places, rest)
  const gates = judgeGates(gatesOf(options), followed, undefined, known)
  return conclude(followed, { gates, gatesOnly: false, comparison: undefined, baseline: known?.report })
}

const trial = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Trial>('passed') },
  { weight: 3, arbitrary: fc.constant<Trial>('failed') },
  { weight: 1, arbitrary: fc.constant<Trial>('crashed') },
)
const outcome = fc.oneof(
  { weight: 12, arbitrary: fc.array(trial, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom('left out' as const, 'lost' as const, ['failed', 'crashed'] as const) },
)
const made = fc
  .record<Made>({
    environment: fc.constantFrom('prod', 'prod', 'staging', undefined),
    client: fc.constantFrom('c1', 'c1', 'c1', 'c2'),
    model: fc.constantFrom('m1', 'm1', 'm2'),
    isOverride: fc.boolean(),
    suite: fc.constantFrom(TITLES.length, TITLES.length, TITLES.length - 1),
    outcomes: fc.array(outcome, { minLength: TITLES.length, maxLength: TITLES.length }),
  })
  .filter(each => casesOf(each).some(own => typeof own !== 'string'))

/** Runs, and one more that resembles one of them, as most runs of a suite repeat earlier results. */
const history = fc
  .record({
    earlier: fc.array(made, { minLength: 1, maxLength: 4 }),
    last: made,
    like: fc.option(fc.nat(3), { freq: 4, nil: undefined }),
    same: fc.array(fc.constantFrom(true, true, true, false), { minLength: TITLES.length, maxLength: TITLES.length }),
  })
  .map(({ earlier, last, like, same }) => {
    const model = like === undefined ? undefined : earlier[like % earlier.length]!
    const outcomes = last.outcomes.map((own, index) => (same[index] ? (model?.outcomes[index] ?? own) : own))
    return { earlier, last: model ? { ...model, suite: last.suite, outcomes } : last }
  })
  .filter(({ last }) => casesOf(last).some(own => typeof own !== 'string'))

type Known = { environment: Made['environment']; client: string; model: string; title: string }
const keyOf = ({ environment, client, model, title }: Known): string =>
  JSON.stringify([environment ?? null, client, model, title])
/** Returns the cases that were selected for the run, with their results. */
const askedOf = (run: Made) =>
  casesOf(run).flatMap((own, index) => {
    const title = TITLES[index]!
    return own === 'left out' ? [] : [{ own, title, key: keyOf({ ...run, title }) }]
  })
const isWhole = (own: Made['outcomes'][number]): boolean => typeof own !== 'string' && !own.includes('crashed')
const hasFailed = (own: Made['outcomes'][number]): boolean => typeof own !== 'string' && own.includes('failed')

type Results = Map<string, Known & { verdict: 'passed' | 'failed' }>

/** Returns the known results that are missing now, by the rules of docs/scripting.md. */
function goneFrom(known: Results, run: Made): Results {
  const asked = askedOf(run)
  const isAll = asked.length === casesOf(run).length && asked.every(({ own }) => own !== 'lost')
  const gone = [...known].filter(([key, { environment, client, model, title }]) => {
    const own = asked.find(each => each.title === title)
    if (environment !== run.environment || client !== run.client || own?.key === key) return false
    if (own?.own === 'lost' || (run.isOverride && model !== run.model)) return false
    return own !== undefined || isAll
  })
  return new Map(gone)
}

function fileOf(file: string): Map<string, string> {
  const { lines } = openBaseline({ baseline: file, updateBaseline: true })!
  const known = lines.map(({ environment, client = '', model = '', case: title, verdict }) => {
    return [keyOf({ environment: environment as Made['environment'], client, model, title }), verdict] as const
  })
  return new Map(known)
}

test('a case that is ungraded, newly failing or missing is never green, whatever the earlier runs', async () => {
  const seen = { 0: 0, 1: 0, 3: 0 }
  await fc.assert(
    fc.asyncProperty(history, async ({ earlier, last }) => {
      const file = join(folder, `${(files += 1)}.jsonl`)
      const known: Results = new Map()
      for (const [index, run] of earlier.entries()) {
        const { gates } = await endOf(run, index, file, true)
        const asked = askedOf(run)
        const isWritten = asked.every(({ own }) => isWhole(own))
        expect(gates.at(-1)).toMatchObject({ gate: 'update-baseline', passed: isWritten ? true : null })
        if (isWritten) {
          for (const key of goneFrom(known, run).keys()) known.delete(key)
          for (const { own, key, title } of asked)
            known.set(key, { ...run, title, verdict: hasFailed(own) ? 'failed' : 'passed' })
        }
        expect(fileOf(file)).toEqual(new Map([...known].map(([key, { verdict }]) => [key, verdict])))
      }
      if (known.size === 0) return
      const { exitCode, baseline } = await endOf(last, earlier.length, file, false)
      const asked = askedOf(last)
      const gone = goneFrom(known, last)
      const isNewlyFailed = asked.some(({ key, own }) => hasFailed(own) && known.get(key)?.verdict !== 'failed')
      const isOpen =
        asked.some(({ own }) => !isWhole(own)) || [...gone.values()].some(each => each.verdict === 'passed')
      expect(exitCode).toBe(isNewlyFailed ? 1 : isOpen ? 3 : 0)
      expect(baseline?.gone).toHaveLength(gone.size)
      seen[exitCode as keyof typeof seen] += 1
    }),
    { numRuns: 50 },
  )
  expect(Object.values(seen).every(count => count > 0)).toBe(true)
})

test('a known failure is not unchanged if another trial of its case crashed, and a new failure stays one', async () => {
  const one = { environment: 'prod', client: 'c1', model: 'm1', isOverride: false, suite: 1 } as const
  for (const [before, exitCode] of [
    ['failed', 3],
    ['passed', 1],
  ] as const) {
    const file = join(folder, `${(files += 1)}.jsonl`)
    await endOf({ ...one, outcomes: [[before]] }, 0, file, true)
    expect(await endOf({ ...one, outcomes: [['failed', 'crashed']] }, 2, file, false)).toMatchObject({ exitCode })
  }
})

test('a file that another command is changing is left to it, and the result says so', async () => {
  const file = join(folder, 'shared.jsonl')
  const locks = join(folder, 'state/mcpdeck/locks')
  const one = { environment: 'prod', client: 'c1', model: 'm1', isOverride: false } as const
  const { client, run, trials, asked } = workspaceOf({ ...one, suite: 1, outcomes: [['passed']] }, 0)
  const places = [{ place: { projectId: 'p', runId: run.id }, followed: { kind: 'ended', run, trials } as const }]
  const rest = { launched: { asked }, missing: false, signal: new AbortController().signal }
  const update = async () => {
    const [known] = await judgeBaselines(client, openBaseline({ baseline: file, updateBaseline: true })!, places, rest)
    return known?.written
  }
  const before = existsSync(locks) ? readdirSync(locks) : []
  expect(await update()).toBe(1)
  const [name] = readdirSync(locks).filter(each => !before.includes(each))
  rmSync(file)
  const lock = new DatabaseSync(join(locks, name!))
  lock.exec('BEGIN EXCLUSIVE')
  expect(await update()).toBe('another command is changing it')
  expect(existsSync(file)).toBe(false)
  lock.close()
  expect(await update()).toBe(1)
})
