import { expect, test } from 'vitest'
import { effectiveChecks } from './case-checks.ts'

test.each([
  [{ mode: 'inherit', list: ['own'] }, ['suite']],
  [{ mode: 'replace', list: ['own'] }, ['own']],
  [{ mode: 'extend', list: ['own'] }, ['suite', 'own']],
  [{ mode: 'replace' }, []],
  [{ list: ['own'] }, ['suite']],
  [null, ['suite']],
])('checks %j over ["suite"] give %j', (own, applied) => {
  expect(effectiveChecks(['suite'], own)).toEqual(applied)
})
