import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rowsOf, UNFOLDED } from '../../../../test/outline-rows.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { callMatchOf } from '../../../domain/calls/call-difference.ts'
import { widthOf } from '../../../tui/theme/text.ts'
import { createTheme } from '../../../tui/theme/theme.ts'
import { linesNode } from '../../../components/viewer/sections.ts'
import { differenceOf, type ComparedCalls } from './difference-nodes.ts'
import { headLines } from './head-lines.ts'
import { trialLook } from '../../../components/records/trial-look.ts'
import { nextPreset, presets, whyNoPreset } from './trials.tsx'
import { scoreNodes } from './score-nodes.ts'
import { anyCharacter } from '../../../../test/any-character.ts'

const { symbols } = createTheme({ level: 0, ascii: false })

const trialOf = (fields: Partial<EvalIteration> = {}): EvalIteration => ({
  id: 't',
  title: 'Sums',
  iterationNumber: 2,
  status: 'completed',
  result: 'failed',
  durationMs: 1200,
  ...fields,
})

describe('the head of a trial', () => {
  const head = (trial: EvalIteration, steps: Parameters<typeof headLines>[2]['steps'] = [], width = 78) =>
    rowsOf([linesNode('h', headLines(symbols, trial, { steps, ofCase: 3 }))], { width })

  test('starts with the verdict and the first failed step, in one row at 80 columns', () => {
    const step = { stepId: 'text', stepIndex: 1, kind: 'assert', status: 'fail' }
    const rows = head(trialOf({ model: 'm1', tokensUsed: 12 }), [
      { ...step, stepIndex: 4, stepId: 'later', reason: 'also' },
      { ...step, reason: `expected\n${'long '.repeat(40)}` },
      { ...step, stepIndex: 0, status: 'ok', reason: 'fine' },
    ])
    expect(rows[0]).toMatch(/^✗ failed {2}assert text: expected long .*…$/)
    expect(rows.slice(1, 4)).toEqual([
      'Sums',
      'trial 2 of 3  ·  took 1.2s  ·  model m1  ·  tokens 12',
      'Where to look: an expectation of the case was not met.',
    ])
  })

  test('does not call unmeasured trials a failure, and says that scores were set aside', () => {
    const broken = trialOf({ status: 'failed', result: null, trialClass: 'evaluator_error', error: 'bad regex' })
    expect(head(broken).slice(0, 5)).toEqual([
      '! grader error  bad regex',
      'Sums',
      'trial 2 of 3  ·  took 1.2s  ·  model —  ·  tokens —',
      'The grader itself failed: neither a failure of the case nor a low score.',
      'Where to look: the grader itself failed.',
    ])
    const invalid = head(trialOf({ scoreIntegrity: 'score_integrity_invalid' }), [], 120).join('\n')
    expect(invalid).toContain('! The service set this verdict aside (score_integrity_invalid)')
    expect(head(trialOf({ scoreIntegrity: null })).join('\n')).not.toContain('set this verdict aside')
  })

  test('an unknown state is shown as received', () => {
    expect(trialLook(trialOf({ status: 'parked', result: null })).word).toBe('parked')
    expect(trialLook(trialOf({ status: 'completed', result: null })).word).toBe('ungraded')
  })
})

describe('the scores of a trial', () => {
  const definitions = [
    { scorerId: 'a', label: 'judge', role: 'advisory' },
    { scorerId: 'b', label: 'toolCallMatch', role: 'required' },
  ]
  const scored = { status: 'scored', passThreshold: 0.7 }
  const shown = (scores: EvalIteration['scores'], told: string[] = []) =>
    rowsOf(scoreNodes(symbols, trialOf({ scores, evaluationConfig: { definitions } }), new Set(told)))

  test('show label, value, role and reason; a broken grader is not a low score', () => {
    expect(
      shown([
        { ...scored, scorerId: 'a', value: 0.4, passed: false, rationale: 'rude', evidence: ['said no', 7] },
        { ...scored, scorerId: 'b', value: 1, passed: true },
        { scorerId: 'c', status: 'error', error: 'no model' },
        { scorerId: 'd', status: 'skipped' },
        { scorerId: 'e', status: 'not_applicable' },
        { scorerId: 'f', status: 'novel' },
      ]),
    ).toEqual([
      'Scores 6: 3 did not pass',
      '✗ failed         judge  0.4 of at least 0.7, advisory only',
      'rude',
      'scorer a',
      'evidence: said no',
      'evidence: 1 piece in another form, see as received',
      'as received { 7 }',
      '✓ passed         toolCallMatch  1 of at least 0.7, required',
      '! grader error   c',
      'The grader failed; this is not a low score and does not count as a failure.',
      'no model',
      'as received { 3 }',
      '⊘ skipped        d',
      '⊘ not applicable e',
      '! novel          f',
      'as received { 2 }',
    ])
  })

  test('are folded if the steps already say the same', () => {
    const failed = { ...scored, scorerId: 'b', value: 0, passed: false, rationale: 'no such text' }
    expect(shown([failed], ['no such text'])).toEqual(['Scores 1: 1 did not pass'])
    expect(shown([failed], ['something else'])).toHaveLength(5)
    expect(shown(null)).toEqual([])
  })
})

const call = (toolName: string, args: Record<string, unknown> = {}) => ({ toolName, arguments: args })

describe('expected and actual calls', () => {
  const base: ComparedCalls = {
    expected: [],
    actual: [],
    match: callMatchOf({ toolCallOrder: 'in-order', extraToolCalls: 0 }),
    isKnown: true,
    isNegative: false,
  }
  const rows = (compared: Partial<ComparedCalls>, width = 80) =>
    rowsOf(differenceOf(symbols, { ...base, ...compared }).nodes, { width })
  const mixed = {
    expected: [call('search', { city: 'Bern', max: 5 }), call('book', { id: 1 }), call('pay')],
    actual: [call('search', { city: 'Basel', max: 5 }), call('spam'), call('book', { id: 1 })],
  }

  test('are marked by sign and word, with each property that differs', () => {
    expect(rows(mixed)).toEqual([
      'Expected and actual calls: 3 differences',
      'Compared in this order, others in between, only the given arguments, no',
      'further calls: as suite and case are set now.',
      '~ arguments    search {"city":"Bern","max":5}',
      '~ city: expected "Bern", actual "Basel"',
      'expected arguments { 2 }',
      'actual arguments { 2 }',
      '+ extra        spam {}',
      'actual arguments {}',
      '✓ matched      book {"id":1}',
      '✗ missing      pay {}',
      'expected arguments {}',
    ])
  })

  test('are side by side if there is room', () => {
    const wide = rows(mixed, 120)
    expect(wide.find(row => row.includes('arguments  '))).toMatch(
      /^~ arguments +search \{"city":"Bern","max":5\} +\| search \{"city":"Basel","max":5\}$/,
    )
    expect(wide.find(row => row.startsWith('✗ missing'))).toMatch(/pay \{\} +\| \(none\)$/)
    expect(wide.find(row => row.startsWith('+ extra'))).toMatch(/extra +\(none\) +\| spam \{\}$/)
  })

  test('are cut if long, and can be unfolded', () => {
    const long = 'x'.repeat(500)
    const compared = { expected: [call('a', { v: long })], actual: [call('a', { v: 'y' })] }
    const changed = rows(compared).find(row => row.startsWith('~ v:'))!
    expect(changed.length).toBeLessThan(120)
    const all = rowsOf(differenceOf(symbols, { ...base, ...compared }).nodes, { width: 600, folding: UNFOLDED })
    expect(all).toContain(`expected ${JSON.stringify(long)}`)
  })

  test('are folded if all is as expected, and say where nothing was called', () => {
    expect(rows({ expected: [call('a')], actual: [call('a')] })).toEqual(['Expected calls: all 1 as expected'])
    expect(rows({ actual: [call('a')] })).toEqual(['The case expects no particular call; 1 call was made.'])
  })

  test('of a negative case say that no tool may be called', () => {
    expect(rows({ isNegative: true })).toEqual(['✓ No tool may be called; none was made.'])
    expect(rows({ isNegative: true, actual: [call('a')] })).toEqual([
      '✗ No tool may be called; 1 call was made.',
      '+ extra        a {}',
      'actual arguments {}',
    ])
    expect(differenceOf(symbols, { ...base, isNegative: true, actual: [call('a')] }).isWrong).toBe(true)
  })

  test('are rows without terminal sequences for any recorded data, none too wide', () => {
    const record = fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 }), { maxKeys: 3 })
    const made = fc.array(
      fc.oneof(record, fc.record({ toolName: fc.string({ unit: anyCharacter }), arguments: record })),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(made, made, fc.integer({ min: 20, max: 140 }), (expected, actual, width) => {
        const { nodes } = differenceOf(symbols, {
          ...base,
          expected: JSON.parse(JSON.stringify(expected)) as Record<string, unknown>[],
          actual: JSON.parse(JSON.stringify(actual)) as Record<string, unknown>[],
        })
        for (const row of rowsOf(nodes, { width, folding: UNFOLDED })) {
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
          expect(widthOf(row)).toBeLessThan(width)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('the filter that one key turns on', () => {
  const of = (...fields: Partial<EvalIteration>[]) => presets(fields.map(trialOf))
  const broke = { status: 'failed', result: null, startedAt: 1 } as const
  const grader = { result: null, trialClass: 'evaluator_error' }

  test('cycles through all failures, then each kind, then none', () => {
    const all = of({}, broke, grader, { result: 'passed' }, { status: 'cancelled', result: null })
    expect(all).toEqual(['!state:cancelled !state:passed', 'state:failed', 'state:broke', 'state:grader', ''])
    let filter = ''
    for (const wanted of [...all, all[0]]) {
      filter = nextPreset(all, filter)
      expect(filter).toBe(wanted)
    }
    expect(nextPreset(all, 'typed by hand')).toBe(all[0])
  })

  test('is not offered if nothing went wrong, and has no duplicates', () => {
    expect(of({ result: 'passed' })).toEqual([''])
    expect(of({}, { result: 'passed' })).toEqual(['!state:passed', ''])
    expect(of({})).toEqual([''])
    expect(of({}, broke)).toEqual(['state:failed', 'state:broke', ''])
    expect(whyNoPreset([trialOf({})], true)).toContain('Every trial of this run')
    expect(whyNoPreset([trialOf({ result: 'passed' })], true)).toContain('Nothing went wrong in this run')
  })

  test('says nothing of trials that are not read or have not ended', () => {
    const running = trialOf({ status: 'running', result: null })
    expect(whyNoPreset([trialOf({ result: 'passed' })], false)).toBe('Nothing went wrong so far.')
    expect(whyNoPreset([trialOf({ result: 'passed' }), running], true)).toBe('Nothing went wrong so far.')
    expect(whyNoPreset([trialOf({})], false)).toContain('Every trial so far')
  })
})
