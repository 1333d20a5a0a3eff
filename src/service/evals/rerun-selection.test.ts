import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RerunPreview } from '../../api/contract/runs.ts'
import { previewRerun } from './rerun-selection.ts'
import { TRIAL_CLASSES, type TrialClass } from '../../domain/runs/trial-classes.ts'

const preview = (status: string, trials: TrialClass[][]) =>
  previewRerun({
    runId: 'r',
    suiteId: 's',
    status,
    cases: trials.map((list, index) => ({ caseId: `c${index}`, trials: list })),
  })

test('the preview of a rerun counts cases, and gives reasons and exclusions as numbers of trials', () => {
  expect(
    preview('completed', [
      ['passed', 'failed', 'failed'],
      ['passed', 'passed'],
      ['cancelled', 'skipped'],
      ['timed_out', 'cancelled'],
      [],
    ]),
  ).toEqual({
    runId: 'r',
    suiteId: 's',
    scope: 'failed_cases',
    sourceStatus: 'completed',
    sourceTerminal: true,
    totalCaseCount: 5,
    selectedCaseCount: 2,
    selectedCaseIds: ['c0', 'c3'],
    reasons: { failed: 2, timed_out: 1 },
    excluded: { passed: 3, cancelled: 2, skipped: 1 },
    rerunnable: true,
  })
})

test.each([
  ['running', [['failed']], false],
  ['pending', [['pending']], false],
  ['grading', [['failed']], false],
  ['completed', [['passed']], false],
  ['cancelled', [['cancelled', 'passed']], false],
  ['cancelled', [['pending', 'cancelled']], true],
  ['failed', [['setup_failed']], true],
] as [string, TrialClass[][], boolean][])('a %s run with trials %j can be rerun: %s', (status, trials, rerunnable) => {
  expect(preview(status, trials).rerunnable).toBe(rerunnable)
})

test('the selection of a rerun agrees with a simple version of its rule', () => {
  const status = fc.constantFrom('pending', 'running', 'completed', 'failed', 'cancelled')
  fc.assert(
    fc.property(
      status,
      fc.array(fc.array(fc.constantFrom(...TRIAL_CLASSES), { maxLength: 6 }), { maxLength: 8 }),
      (state, trials) => {
        const answer = RerunPreview().parse(preview(state, trials))
        const selected = trials.flatMap((list, index) => {
          const counting = list.filter(trial => trial !== 'cancelled' && trial !== 'skipped')
          return counting.every(trial => trial === 'passed') ? [] : [`c${index}`]
        })
        expect(answer.selectedCaseIds).toEqual(selected)
        expect(answer.selectedCaseCount).toBe(selected.length)
        expect(answer.rerunnable).toBe(['completed', 'failed', 'cancelled'].includes(state) && selected.length > 0)
        for (const kind of TRIAL_CLASSES) {
          const count = trials.flat().filter(trial => trial === kind).length
          const bag = ['passed', 'cancelled', 'skipped'].includes(kind) ? answer.excluded : answer.reasons
          expect(bag[kind] ?? 0).toBe(count)
        }
      },
    ),
  )
})
