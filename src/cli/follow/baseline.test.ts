import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { judgeBaselines, openBaseline } from './baseline.ts'
import { conclude } from './conclusion.ts'
import { gatesOf, judgeGates } from './gate-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-baseline-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

const TITLES = ['a', 'says "no", twice', 'b\nc'] as const
type Trial = 'passed' | 'failed' | 'crashed'
/** A run of some cases, each with its trials; `suite` is how many cases its suite had then. */
type Made = {
  environment: 'prod' | 'staging' | undefined
  client: 'c1' | 'c2'
  model: 'm1' | 'm2'
  isOverride: boolean
  suite: number
  outcomes: readonly (readonly Trial[] | 'left out' | 'lost')[]
}
const casesOf = ({ suite, outcomes }: Made) => outcomes.slice(0, suite)

/** The run in a workspace of its own, in which everything has other ids. */
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

/** What a command ends with that compares the run with the file, or writes it. */
async function endOf(made: Made, workspace: number, file: string, updateBaseline: boolean) {
  const { client, run, trials, asked } = workspaceOf(made, workspace)
  const options = { baseline: file, updateBaseline }
  const followed = { kind: 'ended', run, trials } as const
  const places = [{ place: { projectId: 'p', runId: run.id }, followed }]
  const rest = { launched: { asked }, missing: false, signal: new AbortController().signal }
  const [known] = await judgeBaselines(client, openBaseline(options)!, places, rest)
  const gates = judgeGates(gatesOf(options), followed, undefined, known)
  return conclude(followed, { gates, gatesOnly: false, comparison: undefined, baseline: known?.report })
}

const trial = fc.constantFrom<Trial>('passed', 'passed', 'passed', 'passed', 'failed', 'failed', 'crashed')
const trials = fc.array(trial, { minLength: 1, maxLength: 2 })
const outcome = fc.oneof(
  { weight: 8, arbitrary: trials },
  { weight: 1, arbitrary: fc.constantFrom('left out' as const, 'lost' as const) },
)
const made = fc
  .record<Made>({
    environment: fc.constantFrom('prod', 'prod', 'staging', undefined),
    client: fc.constantFrom('c1', 'c1', 'c2'),
    model: fc.constantFrom('m1', 'm1', 'm2'),
    isOverride: fc.boolean(),
    suite: fc.constantFrom(TITLES.length, TITLES.length, TITLES.length - 1),
    outcomes: fc.array(outcome, { minLength: TITLES.length, maxLength: TITLES.length }),
  })
  .filter(each => casesOf(each).some(own => typeof own !== 'string'))

type Setting = { environment?: string | undefined; client?: string; model?: string }
const settingOf = ({ environment, client, model }: Setting): string =>
  JSON.stringify([environment ?? null, client, model])
const cells = (run: Made) => casesOf(run).map((own, index) => ({ own, key: settingOf(run) + TITLES[index]! }))
const isWholly = (own: Made['outcomes'][number]): boolean => typeof own !== 'string' && !own.includes('crashed')
const hasFailed = (own: Made['outcomes'][number]): boolean => typeof own !== 'string' && own.includes('failed')

test('nothing is green that was not graded, that failed for the first time, or that is gone, over any history', async () => {
  const seen = { 0: 0, 1: 0, 3: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 5 }), made, async (earlier, last) => {
      const file = join(folder, `${(files += 1)}.jsonl`)
      // What the file has to say, kept beside it by simpler means.
      const known = new Map<string, 'passed' | 'failed'>()
      for (const [index, run] of earlier.entries()) {
        const before = openBaseline({ baseline: file, updateBaseline: true })!.lines
        const { gates } = await endOf(run, index, file, true)
        const asked = cells(run).filter(({ own }) => own !== 'left out')
        const isWritten = asked.every(({ own }) => isWholly(own))
        expect(gates.at(-1)).toMatchObject({ gate: 'update-baseline', passed: isWritten ? true : null })
        const after = openBaseline({ baseline: file, updateBaseline: true })!.lines
        if (!isWritten) expect(after).toEqual(before)
        else for (const { key, own } of asked) known.set(key, hasFailed(own) ? 'failed' : 'passed')
        for (const line of after) expect(known.get(settingOf(line) + line.case)).toBe(line.verdict)
      }
      if (known.size === 0) return
      const { exitCode, baseline } = await endOf(last, earlier.length, file, false)
      seen[exitCode as keyof typeof seen] += 1
      const asked = cells(last).filter(({ own }) => own !== 'left out')
      const isNewlyFailed = asked.some(({ key, own }) => hasFailed(own) && !isKnown(file, key))
      expect(exitCode === 1).toBe(isNewlyFailed)
      if (exitCode === 0) expect(asked.every(({ own }) => isWholly(own))).toBe(true)
      // Whatever passed there has passed again, if the whole suite ran.
      const ran = new Set(asked.map(({ key }) => key))
      const lost = linesOf(file).filter(({ key, verdict }) => verdict === 'passed' && !ran.has(key))
      const isWhole = cells(last).every(({ own }) => own !== 'left out')
      if (isWhole && lost.some(({ key }) => key.startsWith(settingOf(last)))) expect(exitCode).not.toBe(0)
      if (!isWhole && exitCode === 0) expect(baseline?.gone.filter(title => !inSuite(last, title))).toEqual([])
    }),
    { numRuns: 50 },
  )
  expect(Object.values(seen).every(count => count > 0)).toBe(true)
})

/** Whether a case of the run is what a name in a report begins with. */
const inSuite = (run: Made, name: string): boolean =>
  casesOf(run).some((own, index) => own !== 'left out' && name.startsWith(TITLES[index]!))

function linesOf(file: string) {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1, -1)
  return lines.map(line => {
    const fields = JSON.parse(line) as Record<string, string>
    return { key: settingOf(fields) + fields['case']!, verdict: fields['verdict'] }
  })
}

const isKnown = (file: string, key: string): boolean =>
  linesOf(file).some(each => each.key === key && each.verdict === 'failed')
