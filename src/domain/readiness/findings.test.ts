import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findingsOf } from './findings.ts'
import { directoryLabel, readinessLook } from './labels.ts'

test('findings that need action come first, and missing values are left out', () => {
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

test('a report without a list of findings differs from one with an empty list', () => {
  expect(findingsOf({ findings: [] })).toEqual([])
  for (const other of [null, [], 'text', {}, { findings: {} }]) expect(findingsOf(other)).toBeUndefined()
})

test('everything shown of any report or run is text', () => {
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
