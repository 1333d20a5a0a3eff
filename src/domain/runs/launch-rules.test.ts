import { expect, test } from 'vitest'
import { completeGroup } from './launch-rules.ts'

const group = { runGroupId: 'g1', suiteId: 's1', outcome: 'started' }
const started = { target: { environmentId: 'e1' }, status: 'started', runId: 'r1' }
const error = { message: 'The service reports no run for it.' }

test('a target that the answer for a run group leaves out has not started', () => {
  const none = { ...group, targets: [] }
  const asked = { environmentIds: ['e1', 'e2'], clientIds: [] }
  const [first, second] = asked.environmentIds.map(id => ({ target: { environmentId: id }, status: 'failed', error }))
  expect(completeGroup(none, asked).targets).toEqual([first, second])
  expect(completeGroup({ ...group, targets: [started] }, asked).targets).toEqual([started, second])
  expect(completeGroup(none, { environmentIds: [], clientIds: ['c1'] }).targets).toEqual([
    { target: { namedHostId: 'c1' }, status: 'failed', error },
  ])
})
