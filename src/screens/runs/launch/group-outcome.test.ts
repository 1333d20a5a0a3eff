import { expect, test } from 'vitest'
import { groupResult } from './group-outcome.ts'

test.each([
  [['r1', 'r2'], 'ok', 'Launched 2 runs of Nightly as one group.'],
  [['r1', null], 'warn', 'Started 1 of 2 runs of Nightly as one group.'],
  [[null, null], 'error', 'Started 0 of 2 runs of Nightly as one group.'],
] as const)('a group that started %j is reported as %s', (runIds, tone, text) => {
  const targets = runIds.map(runId => ({ target: {}, runId }))
  expect(groupResult('Nightly', { targets } as unknown as Parameters<typeof groupResult>[1])).toEqual({ tone, text })
})
