import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchToolCalls, expectedToolCalls } from './call-matching.ts'
import type { CaseSnapshot, ExpectedToolCall, MatchOptions } from './types.ts'
const calls = (text: string): ExpectedToolCall[] =>
  text === ''
    ? []
    : text.split(' ').map(word => ({ toolName: word[0] ?? '', arguments: word[1] ? { n: Number(word[1]) } : {} }))

describe('the matching of calls by order and extras', () => {
  test.each<[string, string, MatchOptions, boolean]>([
    ['a b', 'b a', { toolCallOrder: 'ignore' }, true],
    ['a b', 'b a', {}, true],
    ['a b', 'b a', { toolCallOrder: 'superset' }, false],
    ['a b', 'x a y b', { toolCallOrder: 'superset' }, true],
    ['a b', 'a b', { toolCallOrder: 'strict' }, true],
    ['a b', 'a b c', { toolCallOrder: 'strict' }, false],
    ['a b', 'a b c', { toolCallOrder: 'strict', maxExtraToolCalls: 1 }, true],
    ['a b', 'c a b', { toolCallOrder: 'strict', maxExtraToolCalls: null }, false],
    ['a b', 'a x b', { maxExtraToolCalls: 0 }, false],
    ['a b', 'a x b', { maxExtraToolCalls: 1 }, true],
    ['a b', 'a', {}, false],
    ['a a', 'a', {}, false],
    ['', '', { toolCallOrder: 'strict' }, true],
    ['', 'a', {}, true],
    ['', 'a', { maxExtraToolCalls: 0 }, false],
    ['a1', 'a2', {}, false],
    ['a1', 'a2', { argumentMatching: 'ignore' }, true],
    ['a', 'a2', { argumentMatching: 'exact' }, false],
    // The looser expectation comes first. It must not take the only call that matches the stricter one.
    ['a a1', 'a1 a2', {}, true],
  ])('expected calls “%s”, actual calls “%s”, options %j: %s', (expected, actual, options, passed) => {
    expect(matchToolCalls(calls(expected), calls(actual), options).passed).toBe(passed)
  })
})

test('a failed match names the calls that do not match', () => {
  const found = matchToolCalls(calls('a1 b c'), calls('c a2 x'), { toolCallOrder: 'superset', maxExtraToolCalls: 0 })
  expect(found.matched).toEqual([{ expectedIndex: 2, actualIndex: 0 }])
  expect(found.argumentDifferences).toEqual([{ expectedIndex: 0, actualIndex: 1, keys: ['n'] }])
  expect(found.missing).toEqual([1])
  expect(found.extra).toEqual([2])
  expect(found.reason).toBe(
    'expected a, b, c in order "superset"; actual: c, a, x (b missing; a differs in n; 1 extra, at most 0 allowed)',
  )
  const swapped = matchToolCalls(calls('a b'), calls('b a'), { toolCallOrder: 'superset' })
  expect(swapped.outOfOrder).toEqual([{ expectedIndex: 1, actualIndex: 0 }])
})

test('of several calls of a tool, a mismatch names the one with the fewest different arguments', () => {
  const expected = [{ toolName: 'a', arguments: { x: 1, y: 2 } }]
  const actual = [
    { toolName: 'a', arguments: { x: 8, y: 9 } },
    { toolName: 'a', arguments: { x: 1, y: { z: 3 } } },
  ]
  const found = matchToolCalls(expected, actual, {})
  expect(found.argumentDifferences).toEqual([{ expectedIndex: 0, actualIndex: 1, keys: ['y'] }])
  expect(found.extra).toEqual([0])
})

const sequence = fc.array(
  fc.record({ toolName: fc.constantFrom('a', 'b', 'c'), arguments: fc.constantFrom({}, { n: 1 }, { n: 2 }) }),
  { maxLength: 7 },
)

test('every call is in exactly one list of a match, and a stricter order never passes if a looser one fails', () => {
  fc.assert(
    fc.property(
      sequence,
      sequence,
      fc.constantFrom<MatchOptions['argumentMatching']>('ignore', 'partial', 'exact'),
      (expected, actual, argumentMatching) => {
        const options = { argumentMatching, maxExtraToolCalls: null } as const
        const [ignore, superset, strict] = (['ignore', 'superset', 'strict'] as const).map(toolCallOrder =>
          matchToolCalls(expected, actual, { ...options, toolCallOrder }),
        )
        for (const found of [ignore!, superset!, strict!]) {
          const pairs = [...found.matched, ...found.argumentDifferences, ...found.outOfOrder]
          const byNumber = (left: number, right: number) => left - right
          expect([...pairs.map(pair => pair.expectedIndex), ...found.missing].toSorted(byNumber)).toEqual([
            ...expected.keys(),
          ])
          expect([...pairs.map(pair => pair.actualIndex), ...found.extra].toSorted(byNumber)).toEqual([
            ...actual.keys(),
          ])
        }
        if (strict!.passed) expect(superset!.passed).toBe(true)
        if (superset!.passed) expect(ignore!.passed).toBe(true)
        expect(matchToolCalls(actual, actual, { ...options, toolCallOrder: 'strict' }).passed).toBe(true)
      },
    ),
  )
})

describe('the expected calls of a case', () => {
  const of = (steps: object[], checks: object[] = []) =>
    expectedToolCalls({
      steps: steps.map((assertion, index) => ({ id: `${index}`, kind: 'assert', assertion: { ...assertion } })),
      checks: checks as CaseSnapshot['checks'],
    })
  const withArgs = (toolName: string, args: object, rest: object = {}) => ({
    type: 'toolCalledWith',
    toolName,
    args: { args },
    ...rest,
  })
  const once = (toolName: string) => ({ type: 'toolCalledAtLeastOnce', toolName })

  test('come from steps, then from checks, as often as demanded, and each expectation counts once', () => {
    expect(
      of(
        [withArgs('b', { n: 1 }), once('a'), { type: 'noToolErrors' }],
        [withArgs('c', {}, { minCount: 2 }), withArgs('b', { n: 1 })],
      ),
    ).toEqual([
      { toolName: 'b', arguments: { n: 1 } },
      { toolName: 'a', arguments: {}, argumentMatching: 'ignore' },
      { toolName: 'c', arguments: {} },
      { toolName: 'c', arguments: {} },
    ])
  })

  test('are not extended by "at least once" if the call is already expected', () => {
    expect(of([once('a'), withArgs('a', { n: 1 })])).toEqual([{ toolName: 'a', arguments: { n: 1 } }])
  })

  test('do not include malformed assertions, which fail when they are evaluated', () => {
    expect(of([{ type: 'toolCalledWith', toolName: 'a' }, { type: 'unknown' }])).toEqual([])
  })

  test('use the argument matching of an assertion rather than that of the match options', () => {
    const expected = of([
      { type: 'toolCalledWith', toolName: 'a', args: { args: { n: 1 }, argumentMatching: 'ignore' } },
    ])
    expect(matchToolCalls(expected, calls('a2'), { argumentMatching: 'exact' }).passed).toBe(true)
  })
})
