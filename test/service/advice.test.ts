import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adviseOn, MAX_EVIDENCE, type ObservedFailure, excerptOf } from '../../src/service/insights/advice.ts'
import { advisingModel, json } from './analysis-runs.ts'
import { anyCharacter } from '../any-character.ts'

describe('the advice on a server', () => {
  const failure = (index: number, more: Partial<ObservedFailure> = {}): ObservedFailure => ({
    fingerprint: `failure ${index}`,
    title: `Failure ${index}`,
    observed: `${index} of 40 sessions.`,
    category: 'tool_contract',
    severity: 'low',
    affected: { count: index, total: 40, unit: 'sessions' },
    evidence: [],
    ...more,
  })
  const signal = new AbortController().signal
  const accessOf = ({ models }: Awaited<ReturnType<typeof advisingModel>>) => ({ configured: models, keys: {} })

  test('covers the worst failures first, and counts those that do not fit', async () => {
    const model = await advisingModel()
    const evidence = Array.from({ length: 9 }, () => ({ kind: 'transcript', excerpt: 'x' }))
    const failures = Array.from({ length: 25 }, (_, index) => failure(index + 1))
    const grave = failure(99, { severity: 'high', affected: { count: 1, total: 40, unit: 'sessions' }, evidence })
    const advised = await adviseOn(accessOf(model), { what: 'a wave', failures: [...failures, grave] }, signal)
    expect(advised.omitted).toBe(6)
    expect(advised.findings.map(({ title }) => title)).toEqual([
      'Failure 99',
      ...Array.from({ length: 19 }, (_, index) => `Failure ${25 - index}`),
    ])
    expect(advised.findings[0]?.evidence).toHaveLength(MAX_EVIDENCE)
    expect(advised.findings[0]).toMatchObject({ rootCause: 'cause 1', recommendation: 'do 1' })
    expect(advised.findings[19]).toMatchObject({ recommendation: 'do 20', affected: { count: 7 } })
  })

  test('never replaces measurements, and is short and clean', async () => {
    const model = await advisingModel(() =>
      json({
        summary: `\u001b[31mred\u0007 ${'long '.repeat(1000)}`,
        advice: [
          { failure: 7, rootCause: 'none', recommendation: 'none', acceptanceCriteria: [], confidence: 'high' },
          {
            failure: 2,
            title: 'My title',
            observed: 'All of them.',
            affected: { count: 40, total: 40 },
            rootCause: 'a\u0000b\nc',
            recommendation: 'y'.repeat(5000),
            acceptanceCriteria: ['1', '', '2', '3', '4', '5', '6'],
            confidence: 'medium',
          },
        ],
      }),
    )
    const failures = [failure(2, { category: 'nonsense' }), failure(1, { severity: 'info' })]
    const { summary, findings } = await adviseOn(accessOf(model), { what: 'a wave', failures }, signal)
    expect(summary.startsWith('[31mred long')).toBe(true)
    expect(summary.length).toBeLessThanOrEqual(1500)
    const [first, second] = findings
    expect(first).toMatchObject({
      title: 'Failure 2',
      category: 'unknown',
      confidence: 'low',
      recommendation: expect.stringContaining('The model gave no advice'),
    })
    expect(first).not.toHaveProperty('rootCause')
    expect(second).toMatchObject({
      title: 'Failure 1',
      observed: '1 of 40 sessions.',
      category: 'tool_contract',
      attribution: 'server_contract',
      actionability: 'informational',
      affected: { count: 1, total: 40 },
      rootCause: 'ab\nc',
      acceptanceCriteria: ['1', '2', '3', '4'],
      confidence: 'medium',
    })
    expect(second?.recommendation).toHaveLength(1000)
  })

  test('is requested and shown without secrets', async () => {
    const model = await advisingModel()
    const secret = 'sk-live-0123456789abcdef'
    const evidence = [{ kind: 'tool_error', excerpt: `refused ${secret}` }]
    const failures = [failure(1, { title: `Calls with ${secret} fail`, evidence })]
    const { findings } = await adviseOn(accessOf(model), { what: 'a wave', failures }, signal)
    expect(JSON.stringify([model.asked, findings[0]?.evidence])).not.toContain(secret)
  })
})

describe('an excerpt of an error', () => {
  test.each([
    ['Authorization: Bearer abcdefghijk.lmnop', 'abcdefghijk'],
    ['the key sk-proj-0123456789abcdef was refused', '0123456789abcdef'],
    ['token ghp_0123456789abcdefghij expired', '0123456789abcdefghij'],
    ['{"api_key":"verysecret","a":1}', 'verysecret'],
    ['password = hunter22', 'hunter22'],
    ['https://user:hunter22@example.com/x', 'hunter22'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'eyJzdWIiOiIxIn0'],
    ['write to jane.doe@example.com', 'jane.doe'],
  ])('of %j hides the secret', (text, secret) => {
    expect(excerptOf(text)).not.toContain(secret)
  })

  test('shows no part of a secret, however much was removed before it', () => {
    const hidden = `eyJ${'a'.repeat(40)}.b.c https://me:hunter22@example.com/ `
    for (let before = 0; before < hidden.length; before += 1)
      expect(excerptOf('x'.repeat(before) + hidden.repeat(200))).not.toContain('hunt')
  })

  test('of any text is one short line without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2000 }), text => {
        const shown = excerptOf(text)
        expect(shown.length).toBeLessThanOrEqual(300)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
    expect(excerptOf('It failed with 404 on line 12.')).toBe('It failed with 404 on line 12.')
  })
})
