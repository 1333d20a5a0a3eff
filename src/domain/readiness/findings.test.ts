import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findingsOf } from './findings.ts'
import { directoryLabel, readinessLook } from './labels.ts'

test('findings to act on stand first, and what is not told is left out', () => {
  const findings = findingsOf({
    findings: [
      { title: 'a', status: 'satisfied', citation: 'A page' },
      { id: 'b', status: 'of another kind', citation: { url: 'https://rules.test' } },
      { title: 'c', status: 'violated', remediation: 'Do it.', citation: { publisher: 'P', title: 'T', url: 'u' } },
      { title: 'd', status: 'not-evaluated', missingInputs: ['accessToken', 3] },
      'no finding',
    ],
  })!
  expect(findings.map(({ title }) => title)).toEqual(['c', 'd', 'a', 'b'])
  expect(findings.map(({ citation }) => citation?.title)).toEqual(['P, T', undefined, 'A page', ''])
  expect(findings[1]!.missingInputs).toEqual(['accessToken'])
})

test('a report without a list of findings is told apart from one without findings', () => {
  expect(findingsOf({ findings: [] })).toEqual([])
  for (const other of [null, [], 'text', {}, { findings: {} }]) expect(findingsOf(other)).toBeUndefined()
})

test('whatever a report and a run say, what is shown is text', () => {
  const word = fc.oneof(fc.constantFrom('constructor', '__proto__', 'toString'), fc.string())
  fc.assert(
    fc.property(fc.anything(), word, (document, said) => {
      for (const { title, status } of findingsOf({ findings: [document] }) ?? [])
        expect([typeof title, typeof status]).toEqual(['string', 'string'])
      expect(typeof readinessLook(said).word).toBe('string')
      expect(typeof directoryLabel({ id: 'r', status: 'running', readinessKind: said })).toBe('string')
    }),
  )
})
