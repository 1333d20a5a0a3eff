import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EvalRun } from '../src/api/contract/runs.ts'
import type { EvalSuite } from '../src/api/contract/suites.ts'
import { runLines } from '../src/domain/now/run-lines.ts'
import { suiteStateOf } from '../src/domain/runs/suite-state.ts'
import { createTheme, type Tone } from '../src/tui/theme/theme.ts'
import { runState, suiteState } from '../src/cli/nouns/states.ts'
import type { Column } from '../src/components/list/columns.ts'
import { runColumns } from '../src/screens/runs/columns.ts'
import { suiteColumns } from '../src/screens/runs/suite-columns.ts'
import { openService, type TestService } from './harness.tsx'
import { casesOf, expectedOf, makeRun, randomSuite, type Expected, type RandomRun } from './random-runs.ts'

const { symbols } = createTheme({ level: 0, ascii: false })

let opened: TestService
let projectId: string
beforeAll(async () => {
  opened = await openService()
  projectId = (await opened.client.projects.list({})).items[0]!.id
})
afterAll(() => opened.close())

function cellOf<Item>(item: Item, columns: readonly Column<Item>[], id: string): { text: string; tone: Tone } {
  const cell = columns.find(column => column.id === id)!.cell(item)
  return typeof cell === 'string' ? { text: cell, tone: 'plain' } : { tone: 'plain', ...cell }
}

/** The word after the mark of a cell. */
const wordOf = ({ text }: { text: string }): string => text.replace(/^\S+ /, '')

type Planned = Expected & { isWhole: boolean }

/** Every place that shows the runs of a suite, for runs on which they must agree. */
async function readSuite(suiteId: string) {
  const { client } = opened
  const suite = (await client.suites.list({ projectId })).items.find(({ id }) => id === suiteId)!
  const { items: runs } = await client.runs.list({ projectId, suiteId, limit: 100 })
  const facts = { client, projectId, reruns: undefined }
  return {
    suite,
    runs,
    inList: cellOf(suite, suiteColumns(symbols), 'state'),
    inGet: (await suiteState.add(suite, facts)) as EvalSuite & { state: string; coverage: { says: string } },
    runsInGet: await Promise.all(runs.map(async run => await runState.add(run, facts))),
    inNow: runLines({
      project: { id: projectId, name: 'Random' },
      suite,
      runs: { value: runs, at: Date.now() },
      trialsOf: () => undefined,
      now: Date.now(),
      asOf: Date.now(),
    }).filter(({ fingerprint }) => fingerprint !== 'in flight'),
  }
}

/** A run as listed, and as printed by `get runs`. */
function expectRun(run: EvalRun, got: Record<string, unknown>, { outcome, isPlain, isWhole }: Planned): void {
  const columns = runColumns(symbols)
  const [state, covered] = [cellOf(run, columns, 'state'), cellOf(run, columns, 'passed')]
  const { says } = got['coverage'] as { says: string }
  if (outcome !== 'in-flight') expect([wordOf(state), got['state']]).toEqual([outcome, outcome])
  expect(state.tone === 'ok').toBe(isPlain)
  expect(state.tone === 'ok' && !/of|graded/.test(covered.text)).toBe(isPlain && isWhole)
  expect(got['state'] === 'passed' && says === 'all').toBe(isPlain && isWhole)
}

test('the list of suites, the trend, Now and get agree, and only a complete pass is plainly green', async () => {
  let suites = 0
  await fc.assert(
    fc.asyncProperty(randomSuite, async plans => {
      suites += 1
      const all = casesOf(plans)
      const planned = plans.map((plan): Planned => ({
        ...expectedOf(plan),
        isWhole: casesOf([plan]).size === all.size,
      }))
      let suiteId = ''
      for (const plan of plans) suiteId = (await makeRun(opened.client, projectId, `Suite ${suites}`, plan)).run.suiteId
      const { suite, runs, inList, inGet, runsInGet, inNow } = await readSuite(suiteId)
      const newestFirst = planned.toReversed()
      for (const [index, run] of runs.entries()) expectRun(run, runsInGet[index]!, newestFirst[index]!)

      const ended = newestFirst.filter(({ outcome }) => outcome !== 'in-flight' && outcome !== 'cancelled')
      const isGreen = inList.tone === 'ok'
      expect(inGet.state === 'passed' && inGet.coverage.says === 'all').toBe(isGreen)
      if (ended.length > 0) expect(wordOf(inList)).toBe(inGet.state)
      const lastWhole = ended.findIndex(({ isWhole, isPlain }) => isWhole && isPlain)
      if (isGreen) {
        expect(lastWhole).toBeGreaterThanOrEqual(0)
        expect(ended.slice(0, lastWhole).every(({ outcome }) => outcome === 'passed')).toBe(true)
        expect(inNow).toEqual([])
      }
      if (lastWhole === 0) expect(isGreen).toBe(true)
      const isBad = ['failed', 'broken', 'undecided'].includes(inGet.state)
      expect(inNow.map(({ word }) => word)).toEqual(isBad ? [inGet.state] : [])
      expectTrend(suite, plans, newestFirst)
    }),
    { numRuns: 60 },
  )
})

/** A full bar stands for a run of all cases without a failure. */
function expectTrend(suite: EvalSuite, plans: readonly RandomRun[], newestFirst: readonly Planned[]): void {
  const shown = newestFirst.filter(({ outcome }) => outcome !== 'in-flight')
  const rates = (suiteStateOf({ suite }).trend ?? []).toReversed()
  expect(rates).toHaveLength(shown.length)
  expect(shown.length).toBeLessThanOrEqual(plans.length)
  for (const [index, rate] of rates.entries()) {
    if (rate !== 1) continue
    const { isWhole, trials } = shown[index]!
    expect(isWhole && trials.failed === 0 && trials.passed * 2 > trials.total).toBe(true)
  }
}
