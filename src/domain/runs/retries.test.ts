import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { outcomeOfRun } from './outcome.ts'
import { flakyCases, settleRun, type EndedRun } from './retries.ts'

type Result = 'passed' | 'failed' | null

/** Creates an ended run with these results of the trials of each case. */
function runOf(id: string, results: Readonly<Record<string, readonly Result[]>>, more: object = {}): EndedRun {
  const trials = Object.entries(results).flatMap(([title, all]) =>
    all.map((result, index): EvalIteration => {
      const status = result === null ? 'failed' : 'completed'
      return { id: `${id}${title}${index}`, testCaseId: title, title, iterationNumber: index + 1, status, result }
    }),
  )
  const all = trials.map(({ result }) => result)
  const result = all.includes('failed') ? 'failed' : all.includes(null) ? null : 'passed'
  return { run: { id, suiteId: 's', createdAt: 1, status: 'completed', result, ...more }, trials }
}

test('a case counts as passed only after a rerun of as many trials that all passed', () => {
  const own = runOf('r0', { a: ['failed', 'passed'], b: ['passed'] })
  const settled = settleRun(own, [runOf('r1', { a: ['passed', 'passed'] })])
  expect(outcomeOfRun(settled.run)).toBe('passed')
  expect(settled.flaky).toMatchObject([{ title: 'a', failures: [{ id: 'r0a0' }], passedIn: { id: 'r1' } }])
  expect(settled.trials.map(({ id }) => id)).toEqual(['r1a0', 'r1a1', 'r0b0'])
  for (const again of [['passed'], ['passed', 'failed'], ['passed', null], []] as Result[][]) {
    const { run, flaky } = settleRun(own, [runOf('r1', { a: again })])
    expect({ outcome: outcomeOfRun(run), flaky }).toEqual({ outcome: 'failed', flaky: [] })
  }
})

test('a case that passed in its run and fails in a rerun is flaky too', () => {
  const own = runOf('r0', { a: ['failed'], b: ['passed'] })
  const { run, flaky } = settleRun(own, [runOf('r1', { a: ['passed'], b: ['failed'] })])
  expect(flaky).toMatchObject([
    { title: 'a', passedIn: { id: 'r1' } },
    { title: 'b', passedIn: { id: 'r0' }, failures: [{ id: 'r1b0' }] },
  ])
  expect(outcomeOfRun(run)).toBe('failed')
})

test('the flaky cases of a run are those of its reruns and theirs, but of no other run', () => {
  const own = runOf('r0', { a: ['failed'], b: ['failed'], c: ['failed'] })
  const sources: Record<string, string> = { r1: 'r0', r2: 'r1', r3: 'r9', r4: 'r0', r5: 'r0' }
  const others = [
    runOf('r1', { a: ['passed'], b: ['failed'] }),
    runOf('r2', { b: ['passed'] }),
    ...['r3', 'r6'].map(id => runOf(id, { c: ['passed'] })),
    runOf('r4', { c: ['passed'] }, { status: 'cancelled' }),
    runOf('r5', { c: ['passed'] }, { environment: { id: 'other' } }),
  ]
  const flaky = flakyCases(own, others, ({ id }) => sources[id])
  expect(flaky.map(({ title, passedIn }) => [title, passedIn.id])).toEqual([
    ['a', 'r1'],
    ['b', 'r2'],
  ])
})

test.each([
  ['case_executions', { total: 2, passed: 1, failed: 1, undecided: 0 }, { passed: 2, failed: 0 }, 'passed'],
  ['trials', { total: 3, passed: 1, failed: 2 }, { passed: 3, failed: 0 }, 'passed'],
  ['case_executions', { total: 3, passed: 1, failed: 1, undecided: 1 }, { passed: 2, undecided: 1 }, 'failed'],
  ['sessions', { total: 2, passed: 1, failed: 1 }, { passed: 1, failed: 1 }, 'failed'],
  ['case_executions', { total: 2, passed: 2, failed: 0 }, { passed: 2, failed: 0 }, 'failed'],
] as const)('counts in %s %j become %j after a rerun, with the outcome %s', (unit, counts, after, outcome) => {
  const decisionSummary = { measurementUnit: unit, decision: 'failed', counts }
  const own = runOf('r0', { a: ['failed', 'failed'], b: ['passed'] }, { decisionSummary })
  const { run } = settleRun(own, [runOf('r1', { a: ['passed', 'passed'] })])
  expect(run.decisionSummary?.counts).toMatchObject(after)
  expect(outcomeOfRun(run)).toBe(outcome)
})

test('a run with fewer trials than it counts, or than cases that were to run, does not pass by reruns', () => {
  const again = [runOf('r1', { a: ['passed'] })]
  const outcomeWith = (more: object, asked?: string[]) =>
    outcomeOfRun(settleRun(runOf('r0', { a: ['failed'] }, more), again, asked).run)
  expect(outcomeWith({})).toBe('passed')
  expect(outcomeWith({}, ['a', 'b'])).toBe('failed')
  expect(outcomeWith({ selectedCaseCount: 2 })).toBe('failed')
  const counts = { total: 1, passed: 0, failed: 1, trials: { total: 2, failed: 1, passed: 1 } }
  expect(outcomeWith({ decisionSummary: { measurementUnit: 'case_executions', decision: 'failed', counts } })).toBe(
    'failed',
  )
})

const results = fc.array(fc.constantFrom<Result>('passed', 'passed', 'failed', null), { minLength: 0, maxLength: 3 })
const outcomes = fc.dictionary(fc.constantFrom('a', 'b', 'c'), results, { noNullPrototype: true })

test('no run passes unless each case passed whole in the run or in one of its reruns', () =>
  fc.assert(
    fc.property(outcomes, fc.array(outcomes, { maxLength: 3 }), (first, others) => {
      const asked = Object.keys(first)
      const reruns = others.map((each, index) => runOf(`r${index + 1}`, each))
      // A service gives no verdict if a case has no trial.
      const isWhole = Object.values(first).every(each => each.length > 0)
      const own = runOf('r0', first, isWhole ? {} : { result: null })
      const { run, trials, flaky } = settleRun(own, reruns, asked)
      const passedIn = (name: string) =>
        [first, ...others].some(each => {
          const own = each[name] ?? []
          return own.length >= Math.max(1, first[name]!.length) && own.every(result => result === 'passed')
        })
      if (flaky.length > 0 && outcomeOfRun(run) === 'passed') expect(asked.filter(name => !passedIn(name))).toEqual([])
      for (const { title } of flaky) expect(passedIn(title)).toBe(true)
      for (const name of asked) {
        const own = trials.filter(each => each.title === name)
        const isGreen = own.length > 0 && own.every(({ result }) => result === 'passed')
        expect(isGreen).toBe(first[name]!.length > 0 && passedIn(name))
      }
    }),
  ))
