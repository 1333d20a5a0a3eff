import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesBetween, judge, readChecks, staleEntries, verdictOf, type Scenario } from './verdict.ts'

const asIs = (text: string) => text
const KNOWN = ['SUCCESS', 'FAILURE', 'WARNING', 'INFO', 'SKIPPED']
const anyStatus = fc.oneof(fc.constantFrom(...KNOWN), fc.string(), fc.constantFrom('success', 'PASSED', 'ERROR'))
const anyCheck = fc.record({ id: fc.constantFrom('a', 'b', 'c'), status: anyStatus, description: fc.string() })
const anyResults = fc.array(fc.record({ name: fc.constantFrom('x', 'y', 'z'), checks: fc.array(anyCheck) }))
const anyBaseline = fc.option(fc.uniqueArray(fc.constantFrom('x', 'y', 'x:a', 'y:b', 'none')), { nil: undefined })

test('a scenario passes only if the suite passed it, never if it failed, is unknown or has no checks', () =>
  fc.assert(
    fc.property(anyResults, anyBaseline, (results, baseline) => {
      const scenarios = results.map(({ name, checks }) => {
        const read = readChecks(JSON.stringify(checks), asIs)
        return judge({ name, durationMs: 1, checks: read }, undefined, baseline)
      })
      const stale = baseline ? staleEntries(scenarios, baseline) : []
      const verdict = verdictOf(scenarios, stale, [])
      const isFailure = (status: string) => status === 'FAILURE' || (baseline !== undefined && status === 'WARNING')
      const unexpected = results.filter(({ name, checks }) =>
        checks.some(
          ({ id, status }) => isFailure(status) && !baseline?.some(each => [name, `${name}:${id}`].includes(each)),
        ),
      )
      const isOpen = ({ name, checks }: (typeof results)[number]) =>
        checks.length === 0 ||
        (!(baseline?.some(each => each === name) && checks.some(({ status }) => isFailure(status))) &&
          checks.some(({ status }) => !KNOWN.includes(status)))
      const isDecided = scenarios.some(({ state }) => state === 'passed' || state === 'failed')
      const isFailed = unexpected.length > 0 || stale.length > 0
      expect(verdict).toBe(isFailed ? 'failed' : results.some(isOpen) || !isDecided ? null : 'passed')
    }),
  ))

test('an unknown status beside an expected failure does not pass, unless its whole scenario may fail', () => {
  const results = { failure: { id: 'a', status: 'FAILURE' }, unknown: { id: 'b', status: 'ERROR' } }
  const checks = readChecks(JSON.stringify(Object.values(results)), asIs)
  const judged = (baseline: string[]) => judge({ name: 's', durationMs: 1, checks }, undefined, baseline)
  expect(judged(['s:a'])).toMatchObject({ state: 'unjudged', why: 'the check b has the unknown status "ERROR"' })
  expect(verdictOf([judged(['s:a'])], [], [])).toBe(null)
  expect(judged(['s'])).toMatchObject({ state: 'failed', isExpected: true })
  expect(judged([])).toMatchObject({ state: 'failed', isExpected: false })
})

test('text that is not a result of the suite has no checks, and never throws', () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.array(fc.jsonValue()).map(list => JSON.stringify(list)),
      ),
      text => {
        const checks = readChecks(text, asIs)
        const scenario = judge({ name: 's', durationMs: 0, checks }, undefined, undefined)
        expect(verdictOf([scenario], [], [])).not.toBe('passed')
      },
    ),
  ))

test('a problem turns a pass into no verdict and does not change a failure', () => {
  const scenario = (status: string) =>
    judge(
      { name: 's', durationMs: 1, checks: readChecks(JSON.stringify([{ id: 'a', status }]), asIs) },
      undefined,
      undefined,
    )
  expect(verdictOf([scenario('SUCCESS')], [], ['It broke.'])).toBe(null)
  expect(verdictOf([scenario('FAILURE')], [], ['It broke.'])).toBe('failed')
  expect(verdictOf([], [], [])).toBe(null)
})

test('only scenarios judged in both runs are newly failing or fixed', () => {
  const run = (states: Record<string, Scenario['state']>) =>
    Object.entries(states).map(([name, state]) => ({ name, state }))
  const before = run({ a: 'passed', b: 'failed', c: 'unjudged', d: 'passed', e: 'skipped', f: 'failed' })
  const after = run({ a: 'failed', b: 'passed', c: 'failed', d: 'unjudged', e: 'failed', f: 'failed', g: 'failed' })
  expect(changesBetween(before, after)).toEqual({ newlyFailing: ['a'], fixed: ['b'], notJudged: ['d'] })
  expect(changesBetween(before, run({ c: 'passed', e: 'passed', g: 'failed' }))).toBe(undefined)
})

test('no field of a check shows a secret of the server, or a part of one', () => {
  const secret = 'battery-horse-staple-and-something-more-to-be-removed'
  const cleaned = (text: string) => text.replaceAll(secret, '[secret]')
  for (let before = 0; before <= secret.length; before += 1) {
    const text = 'x'.repeat(before) + `${secret} `.repeat(2000)
    const check = { id: text, status: text, description: text, errorMessage: text, specReferences: [{ id: text }] }
    expect(JSON.stringify(readChecks(JSON.stringify([check]), cleaned))).not.toContain('batt')
  }
})
