import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchToolCalls, toMatchOptions } from '../../service/evals/call-matching.ts'
import { argumentChanges } from './argument-changes.ts'
import { callDifference, callMatchOf, plainCall, type CallMatch, type PlainCall } from './call-difference.ts'
const ANY = callMatchOf()

/** Returns the calls of a text: `a1 b` is a call of a with n = 1, and a call of b without arguments. */
const calls = (text: string): PlainCall[] =>
  text === ''
    ? []
    : text.split(' ').map(word => ({ toolName: word[0]!, arguments: word[1] ? { n: Number(word[1]) } : {} }))

const kinds = (expected: string, actual: string, options: Record<string, unknown> = {}) => {
  const [wanted, made] = [calls(expected), calls(actual)]
  const { rows } = callDifference({ expected: wanted, actual: made, match: callMatchOf(options) })
  return rows.map(row => {
    const name = row.kind === 'extra' ? made[row.actual]! : wanted[row.expected]!
    return `${row.kind} ${name.toolName}${row.kind === 'extra' && !row.allowed ? '!' : ''}`
  })
}

describe('the comparison of expected and actual calls', () => {
  test.each<[string, string, Record<string, unknown>, string[]]>([
    ['a b', 'b a', {}, ['matched a', 'matched b']],
    ['a b', 'b a', { toolCallOrder: 'in-order' }, ['matched a', 'order b']],
    ['a b', 'x a y b', { toolCallOrder: 'superset' }, ['extra x', 'matched a', 'extra y', 'matched b']],
    ['a b', 'c a b', { toolCallOrder: 'exact' }, ['extra c!', 'order a', 'order b']],
    ['a b', 'a', {}, ['matched a', 'missing b']],
    ['a', 'a a', { extraToolCalls: 0 }, ['matched a', 'extra a!']],
    ['a', 'b c', { extraToolCalls: 1 }, ['missing a', 'extra b', 'extra c!']],
    ['a1', 'a2', {}, ['arguments a']],
    ['a1', 'a2', { arguments: 'ignore' }, ['matched a']],
    ['a1', '', {}, ['missing a']],
    ['', 'a', {}, ['extra a']],
    // The looser expectation comes first. It must not take the only call that matches the stricter one.
    ['a a1', 'a1 a2', {}, ['matched a', 'matched a']],
  ])('gives the right rows for %s against %s with %j', (expected, actual, options, wanted) => {
    expect(kinds(expected, actual, options)).toEqual(wanted)
  })

  test('pairs a call with wrong arguments with the expected call that differs least', () => {
    const expected = [plainCall({ toolName: 'a', arguments: { x: 1, y: 2 } })]
    const actual = [
      plainCall({ toolName: 'a', args: { x: 8, y: 9 } }),
      plainCall({ name: 'a', arguments: { x: 1, y: 3 } }),
    ]
    expect(callDifference({ expected, actual, match: ANY }).rows).toEqual([
      { kind: 'extra', actual: 0, allowed: true },
      { kind: 'arguments', expected: 0, actual: 1, changes: [{ kind: 'changed', path: 'y', expected: 2, actual: 3 }] },
    ])
  })
})

test('the options of a comparison are those of the last layer that sets them, in either vocabulary', () => {
  expect(callMatchOf(null, undefined, {})).toEqual({ order: 'any', extra: null, arguments: 'partial' })
  expect(callMatchOf({ toolCallOrder: 'strict' })).toEqual({ order: 'exact', extra: 0, arguments: 'partial' })
  expect(callMatchOf({ toolCallOrder: 'exact', extraToolCalls: 2 }, { maxExtraToolCalls: null })).toEqual({
    order: 'exact',
    extra: null,
    arguments: 'partial',
  })
  expect(callMatchOf({ arguments: 'exact', toolCallOrder: 'in-order' }, { argumentMatching: 'ignore' })).toEqual({
    order: 'in-order',
    extra: null,
    arguments: 'ignore',
  })
  expect(callMatchOf({ toolCallOrder: 'sideways', extraToolCalls: 'few', arguments: 7 })).toEqual(ANY)
})

describe('the differences between arguments', () => {
  test('include added, removed and changed values with their path', () => {
    const expected = { city: 'Bern', filter: { from: 1, to: 2 }, ids: [1, 2], gone: true }
    const actual = { city: 'Basel', filter: { from: 1, to: 3, by: 'x' }, ids: [1], more: 0 }
    expect(argumentChanges(expected, actual, 'exact')).toEqual([
      { kind: 'changed', path: 'city', expected: 'Bern', actual: 'Basel' },
      { kind: 'added', path: 'filter.by', actual: 'x' },
      { kind: 'changed', path: 'filter.to', expected: 2, actual: 3 },
      { kind: 'removed', path: 'gone', expected: true },
      { kind: 'removed', path: 'ids[1]', expected: 2 },
      { kind: 'added', path: 'more', actual: 0 },
    ])
    expect(argumentChanges(expected, actual, 'ignore')).toEqual([])
    expect(argumentChanges({ city: 'Basel' }, actual, 'partial')).toEqual([])
  })

  test('treat a placeholder as its type, but only under partial matching', () => {
    const words = { any: 0, string: 'x', number: 1, boolean: false, object: {}, array: [], null: null } as const
    for (const [word, value] of Object.entries(words)) {
      expect(argumentChanges({ v: word }, { v: value }, 'partial')).toEqual([])
      expect(argumentChanges({ v: word }, { v: value }, 'exact')).toHaveLength(1)
    }
    expect(argumentChanges({ v: 'number' }, { v: 'number' }, 'partial')).toHaveLength(1)
    expect(argumentChanges({ v: 'any' }, {}, 'partial')).toEqual([{ kind: 'removed', path: 'v', expected: 'any' }])
  })

  test('include values that are nested too deeply for recursion', () => {
    const nested = (depth: number, end: unknown) => {
      let value = end
      for (let at = 0; at < depth; at += 1) value = [value]
      return value
    }
    expect(argumentChanges({ v: nested(50_000, 1) }, { v: nested(50_000, 1) }, 'exact')).toEqual([])
    expect(argumentChanges({ v: nested(50_000, 1) }, { v: nested(50_000, 2) }, 'exact')).toHaveLength(1)
  })
})

const values = fc.constantFrom<unknown>(0, 1, 'any', 'number', 'x', null, {}, { a: 1 }, [1])
const made = fc.array(
  fc.record({
    toolName: fc.constantFrom('a', 'b', 'c'),
    arguments: fc.dictionary(fc.constantFrom('n', 'm', '__proto__'), values, { maxKeys: 2 }),
  }),
  { maxLength: 7 },
)
const asked = fc.array(
  fc.record(
    {
      toolName: fc.constantFrom('a', 'b', 'c'),
      arguments: fc.dictionary(fc.constantFrom('n', 'm', '__proto__'), values, { maxKeys: 2 }),
      argumentMatching: fc.constantFrom('partial', 'exact', 'ignore'),
    },
    { requiredKeys: ['toolName', 'arguments'] },
  ),
  { maxLength: 6 },
)
const options = fc.record(
  {
    toolCallOrder: fc.constantFrom('any', 'in-order', 'exact'),
    extraToolCalls: fc.oneof(fc.nat(3), fc.constant('unlimited')),
    arguments: fc.constantFrom('partial', 'exact', 'ignore'),
  },
  { requiredKeys: [] },
)

describe('any comparison of calls', () => {
  test('has each expected and each actual call in exactly one row', () => {
    fc.assert(
      fc.property(asked, made, options, (expected, actual, given) => {
        const { rows } = callDifference({ expected, actual, match: callMatchOf(given) })
        const places = (key: 'expected' | 'actual') =>
          rows.flatMap(row => (key in row ? [(row as Record<typeof key, number>)[key]] : []))
        expect(places('expected')).toEqual([...expected.keys()])
        expect(places('actual').toSorted((a, b) => a - b)).toEqual([...actual.keys()])
        for (const row of rows)
          if (row.kind !== 'missing' && row.kind !== 'extra')
            expect(actual[row.actual]!.toolName).toBe(expected[row.expected]!.toolName)
      }),
    )
  })

  test('of equal calls in the same order has only matches', () => {
    const match = fc.record<CallMatch>({
      order: fc.constantFrom('any', 'in-order', 'exact'),
      extra: fc.oneof(fc.nat(3), fc.constant(null)),
      arguments: fc.constantFrom('exact', 'ignore'),
    })
    fc.assert(
      fc.property(made, match, (same, given) => {
        const found = callDifference({ expected: same, actual: same, match: given })
        expect(found.holds).toBe(true)
        expect(found.rows.every(row => row.kind === 'matched')).toBe(true)
      }),
    )
  })

  test('has no difference if and only if the service reports a match', () => {
    fc.assert(
      fc.property(asked, made, options, (expected, actual, given) => {
        const found = callDifference({ expected, actual, match: callMatchOf(given) })
        const judged = matchToolCalls(expected, actual, toMatchOptions(given))
        expect(found.holds).toBe(judged.passed)
        const matched = found.rows.filter(row => row.kind === 'matched').length
        expect(matched).toBe(judged.matched.length)
      }),
      { numRuns: 500 },
    )
  })
})
