import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { changedCases } from './changes.ts'
import { compareWithBaseline, updatedLines, type BaselineRun } from './baseline.ts'

const cases = ['a', 'b'].map(title => ({ id: title, declaredId: title, title }))

/** Creates a run of the suite with these results of the trials of each case. */
function runOf(results: Readonly<Record<string, readonly ('passed' | 'failed')[]>>, more: object = {}): BaselineRun {
  const trials = Object.entries(results).flatMap(([title, all]) =>
    all.map((result, index) => ({
      id: `${title}${index}`,
      testCaseId: title,
      title,
      iterationNumber: index + 1,
      status: 'completed',
      result,
    })),
  ) as unknown as EvalIteration[]
  const run = { id: 'r', suiteId: 's', createdAt: 1, status: 'completed', result: 'failed', ...more } as EvalRun
  return { suite: { name: 'Smoke', cases }, run, trials }
}

const statuses = (lines: Parameters<typeof compareWithBaseline>[0], facts: BaselineRun) =>
  Object.fromEntries(
    (compareWithBaseline(lines, facts) as { title: string; status: string }[]).map(({ title, status }) => [
      title,
      status,
    ]),
  )

test('a case that failed in some trials has regressed if fewer trials pass', () => {
  const whole = { selectedCaseCount: 2, totalCaseCount: 2 }
  const before = runOf({ a: ['passed', 'passed', 'failed'], b: ['failed'] }, whole)
  const lines = updatedLines([], [before])
  expect(lines).toMatchObject([
    { case: 'a', verdict: 'failed', passed: 2, trials: 3 },
    { case: 'b', verdict: 'failed' },
  ])
  if (typeof lines === 'string') throw new Error(lines)
  expect(lines[1]).not.toHaveProperty('passed')
  expect(statuses(lines, before)).toEqual({ a: 'unchanged_failed', b: 'unchanged_failed' })
  expect(statuses(lines, runOf({ a: ['passed', 'failed', 'failed'], b: ['failed'] }, whole))).toEqual({
    a: 'regressed',
    b: 'unchanged_failed',
  })
  const worse = runOf({ a: ['failed'], b: ['failed'] }, whole)
  expect(statuses(lines, worse)).toMatchObject({ a: 'regressed' })
  const compared = compareWithBaseline(lines, worse)
  if (typeof compared === 'string') throw new Error(compared)
  expect(changedCases({ cases: compared }, worse.trials)).toMatchObject([
    { title: 'a', change: 'new-failure', isNew: false },
    { title: 'b', change: 'still-failing' },
  ])
})

test('a launch that replaces the models keeps results on other models, even if its run does not mention that', () => {
  const of = (model: string): BaselineRun => {
    const facts = runOf({ a: ['passed'], b: ['failed'] }, { selectedCaseCount: 2, totalCaseCount: 2 })
    return { ...facts, trials: facts.trials.map(trial => ({ ...trial, model })), replacesModels: true }
  }
  const small = updatedLines([], [of('small')])
  if (typeof small === 'string') throw new Error(small)
  expect(updatedLines(small, [of('large')])).toMatchObject([
    { case: 'a', model: 'large' },
    { case: 'a', model: 'small' },
    { case: 'b', model: 'large' },
    { case: 'b', model: 'small' },
  ])
  expect(updatedLines(small, [{ ...of('large'), replacesModels: undefined }])).toHaveLength(2)
})

test('of two cases with the same title, the case without trials is not judged by the trials of the other', () => {
  const twins = ['a1', 'a2'].map(id => ({ id, declaredId: `file ${id}`, title: 'a' }))
  const both = runOf({ a1: ['passed'], a2: ['passed'] })
  const titled = (facts: BaselineRun): BaselineRun => ({
    ...facts,
    suite: { name: 'Smoke', cases: twins },
    trials: facts.trials.map(trial => ({ ...trial, title: 'a' })),
  })
  const lines = updatedLines([], [titled(both)])
  if (typeof lines === 'string') throw new Error(lines)
  expect(lines).toMatchObject([{ id: 'file a1' }, { id: 'file a2' }])
  const compared = compareWithBaseline(lines, titled(runOf({ a1: ['passed'] })))
  expect(compared).toMatchObject([{ status: 'unchanged_passed' }, { title: 'a', status: 'changed' }])
})

test('a case of the baseline without trials is not judged if the selected cases are unknown', () => {
  const lines = updatedLines([], [runOf({ a: ['passed'], b: ['passed'] }, { selectedCaseCount: 2, totalCaseCount: 2 })])
  if (typeof lines === 'string') throw new Error(lines)
  expect(statuses(lines, runOf({ a: ['passed'] }))).toMatchObject({ a: 'unchanged_passed', b: 'changed' })
  expect(statuses(lines, runOf({ a: ['passed'] }, { selectedCaseCount: 1, totalCaseCount: 2 }))).toEqual({
    a: 'unchanged_passed',
  })
})
