import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AssertionName } from '../../api/contract/assertions.ts'
import { judgeAssertion } from './assertions.ts'
import type { ToolCallRecord, Transcript } from './types.ts'
import { WORK_LIMITS } from '../../lib/work-limits.ts'

const call = (toolName: string, args: Record<string, unknown> = {}, rest: Partial<ToolCallRecord> = {}) => ({
  stepId: 's',
  serverName: 'everything',
  toolName,
  arguments: args,
  startedAt: 0,
  durationMs: 1,
  result: { content: [] },
  ...rest,
})

const transcript = (rest: Partial<Transcript> = {}): Transcript => ({
  messages: [],
  toolCalls: [],
  finalText: '',
  userTurns: 0,
  ...rest,
})

const widget = (rest: object = {}) => ({ toolName: 'map', rendered: true, latencyMs: 90, consoleErrors: [], ...rest })
const echoed = transcript({ toolCalls: [call('echo', { message: 'hi', n: 1 }), call('sum', { a: 1, b: 2 })] })

type Row = [assertion: unknown, on: Transcript, passed: boolean]

const withArgs = (args: object, argumentMatching?: string, minCount?: number) => ({
  type: 'toolCalledWith',
  toolName: 'echo',
  args: { args, ...(argumentMatching && { argumentMatching }) },
  ...(minCount && { minCount }),
})

const rows: Record<AssertionName, Row[]> = {
  toolCalledWith: [
    [withArgs({ message: 'hi' }), echoed, true],
    [withArgs({ message: 'ho' }), echoed, false],
    [withArgs({}), echoed, true],
    [withArgs({ message: 'hi' }, 'exact'), echoed, false],
    [withArgs({ n: 1, message: 'hi' }, 'exact'), echoed, true],
    [withArgs({ other: true }, 'ignore'), echoed, true],
    [withArgs({ message: 'hi' }, 'partial', 2), echoed, false],
    [withArgs({}, 'ignore', 2), transcript({ toolCalls: [call('echo'), call('echo')] }), true],
    [withArgs({}), transcript(), false],
    [withArgs({ message: 'hi' }, undefined, -1), echoed, false],
  ],
  toolCalledAtLeastOnce: [
    [{ type: 'toolCalledAtLeastOnce', toolName: 'sum' }, echoed, true],
    [{ type: 'toolCalledAtLeastOnce', toolName: 'Sum' }, echoed, false],
    [{ type: 'toolCalledAtLeastOnce', toolName: '' }, echoed, false],
  ],
  toolNeverCalled: [
    [{ type: 'toolNeverCalled', toolName: 'delete' }, echoed, true],
    [{ type: 'toolNeverCalled', toolName: 'echo' }, echoed, false],
    [{ type: 'toolNeverCalled' }, echoed, false],
  ],
  firstToolWas: [
    [{ type: 'firstToolWas', toolName: 'echo' }, echoed, true],
    [{ type: 'firstToolWas', toolName: 'sum' }, echoed, false],
    [{ type: 'firstToolWas', toolName: 'echo' }, transcript(), false],
  ],
  responseContains: [
    [{ type: 'responseContains', needle: 'HELLO' }, transcript({ finalText: 'Say hello' }), true],
    [{ type: 'responseContains', needle: 'HELLO', caseSensitive: true }, transcript({ finalText: 'hello' }), false],
    [{ type: 'responseContains', needle: '' }, transcript({ finalText: 'hello' }), false],
    [{ type: 'responseContains', needle: 'x' }, transcript(), false],
  ],
  responseMatches: [
    [{ type: 'responseMatches', pattern: '^\\d+ items$' }, transcript({ finalText: '12 items' }), true],
    [{ type: 'responseMatches', pattern: 'ITEMS' }, transcript({ finalText: '12 items' }), false],
    [{ type: 'responseMatches', pattern: '(' }, transcript({ finalText: '(' }), false],
    [{ type: 'responseMatches', pattern: '(a+)+$' }, transcript({ finalText: `${'a'.repeat(40)}b` }), false],
    [{ type: 'responseMatches', pattern: 'a' }, transcript({ finalText: 'a'.repeat(100_001) }), false],
  ],
  noToolErrors: [
    [{ type: 'noToolErrors' }, echoed, true],
    [{ type: 'noToolErrors' }, transcript(), true],
    [{ type: 'noToolErrors' }, transcript({ toolCalls: [call('a', {}, { result: { isError: true } })] }), false],
    [{ type: 'noToolErrors' }, transcript({ toolCalls: [call('a', {}, { error: 'gone\n away' })] }), false],
    [{ type: 'noToolErrors' }, transcript({ toolCalls: [call('a', {}, { result: { isError: false } })] }), true],
  ],
  finalAssistantMessageNonEmpty: [
    [{ type: 'finalAssistantMessageNonEmpty' }, transcript({ finalText: ' x ' }), true],
    [{ type: 'finalAssistantMessageNonEmpty' }, transcript({ finalText: ' \n\t ' }), false],
  ],
  tokenBudgetUnder: [
    [{ type: 'tokenBudgetUnder', tokens: 11 }, transcript({ usage: { totalTokens: 10 } }), true],
    [{ type: 'tokenBudgetUnder', tokens: 10 }, transcript({ usage: { totalTokens: 10 } }), false],
    [{ type: 'tokenBudgetUnder', tokens: 10 }, transcript(), false],
    [{ type: 'tokenBudgetUnder', tokens: 0 }, transcript({ usage: { totalTokens: -1 } }), false],
  ],
  turnCountUnder: [
    [{ type: 'turnCountUnder', turns: 2 }, transcript({ userTurns: 1 }), true],
    [{ type: 'turnCountUnder', turns: 2 }, transcript({ userTurns: 2 }), false],
    [{ type: 'turnCountUnder', turns: 2 }, { messages: [], toolCalls: [], finalText: '' }, false],
  ],
  widgetRendered: [
    [{ type: 'widgetRendered' }, transcript({ widgets: [widget({ rendered: false }), widget()] }), true],
    [{ type: 'widgetRendered', toolName: 'chart' }, transcript({ widgets: [widget()] }), false],
    [{ type: 'widgetRendered' }, transcript(), false],
  ],
  widgetRenderLatencyUnder: [
    [{ type: 'widgetRenderLatencyUnder', ms: 91 }, transcript({ widgets: [widget()] }), true],
    [{ type: 'widgetRenderLatencyUnder', ms: 90 }, transcript({ widgets: [widget()] }), false],
    [{ type: 'widgetRenderLatencyUnder', ms: 91 }, transcript({ widgets: [widget({ rendered: false })] }), false],
    [{ type: 'widgetRenderLatencyUnder', ms: 91 }, transcript({ widgets: [widget({ latencyMs: undefined })] }), false],
    [
      { type: 'widgetRenderLatencyUnder', ms: 91, toolName: 'map' },
      transcript({ widgets: [widget(), widget({ toolName: 'b', latencyMs: 500 })] }),
      true,
    ],
    [{ type: 'widgetRenderLatencyUnder', ms: 91 }, transcript(), false],
  ],
  widgetNoConsoleErrors: [
    [{ type: 'widgetNoConsoleErrors' }, transcript({ widgets: [widget()] }), true],
    [{ type: 'widgetNoConsoleErrors' }, transcript({ widgets: [widget({ consoleErrors: ['x'] })] }), false],
    [{ type: 'widgetNoConsoleErrors', toolName: 'other' }, transcript({ widgets: [widget()] }), false],
  ],
}

describe.each(Object.entries(rows))('the assertion %s', (type, cases) => {
  test.each(cases)(`${type} %j on %j: %s`, (assertion, on, passed) => {
    const verdict = judgeAssertion(assertion, on)
    expect(verdict.passed).toBe(passed)
    expect(verdict.reason).toMatch(/^expected .+; actual: .+$/)
    expect(verdict.reason).not.toContain('\n')
  })
})

test.each([
  [{ type: 'toolCalledWith', toolName: 'echo' }, 'args'],
  [
    { type: 'toolCalledWith', toolName: 'echo', args: { args: {}, argumentMatching: 'fuzzy' } },
    'args.argumentMatching',
  ],
  [{ type: 'toolCalledWith', toolName: 'echo', args: { args: {} }, minCount: 0 }, 'minCount'],
  [{ type: 'responseContains', needle: 'a', caseSensitve: true }, 'caseSensitve'],
  [{ type: 'turnCountUnder', turns: '3' }, 'turns'],
])('a malformed assertion fails and names the invalid field: %j', (assertion, field) => {
  const verdict = judgeAssertion(assertion, echoed)
  expect(verdict.passed).toBe(false)
  expect(verdict.reason).toContain(field)
})

test.each([
  { type: 'toolCalledTwice' },
  { type: 'constructor' },
  { type: '__proto__' },
  {},
  null,
  undefined,
  'noToolErrors',
])('an unknown assertion fails: %j', assertion => {
  const verdict = judgeAssertion(assertion, echoed)
  expect(verdict.passed).toBe(false)
  expect(verdict.reason).toContain('actual: ')
})

test('a reason gives the expected and the actual value', () => {
  expect(judgeAssertion({ type: 'firstToolWas', toolName: 'sum' }, echoed).reason).toBe(
    'expected the first call to be sum; actual: echo',
  )
  expect(judgeAssertion(withArgs({ message: 'ho' }), echoed).reason).toBe(
    'expected at least 1 call of echo with {"message":"ho"} (partial); actual: 0 matching of 1 call with {"message":"hi","n":1}',
  )
  expect(
    judgeAssertion({ type: 'responseMatches', pattern: '(a+)+$' }, transcript({ finalText: `${'a'.repeat(40)}b` }))
      .reason,
    // The second reason appears on a slow machine, where the pattern is tested twice.
  ).toMatch(/did not come to an end|took longer than/)
})

test('the same transcript always gives the same result', () => {
  const toolCalls = fc.array(
    fc.record({
      tool: fc.constantFrom('echo', 'sum'),
      args: fc.dictionary(fc.string(), fc.jsonValue()),
      failed: fc.boolean(),
    }),
  )
  const assertions = Object.values(rows).flatMap(cases => cases.map(([assertion]) => assertion))
  fc.assert(
    fc.property(
      fc.constantFrom(...assertions),
      toolCalls,
      fc.string(),
      fc.nat(5),
      (assertion, calls, finalText, userTurns) => {
        const on = transcript({
          toolCalls: calls.map(({ tool, args, failed }) => call(tool, args, { result: { isError: failed } })),
          finalText,
          userTurns,
        })
        const frozen = structuredClone(on)
        const first = judgeAssertion(assertion, on)
        expect(judgeAssertion(structuredClone(assertion), structuredClone(on))).toEqual(first)
        expect(on).toEqual(frozen)
      },
    ),
  )
})

test('six hundred patterns that never finish delay a trial by about one second at most', () => {
  const on = transcript({ finalText: `${'a'.repeat(40)}!` })
  const before = process.cpuUsage()
  const verdicts = Array.from({ length: 600 }, (_, at) =>
    judgeAssertion({ type: 'responseMatches', pattern: `^(a+)+$|${at}` }, on),
  )
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(4 * WORK_LIMITS.trialPatterns.most)
  expect(verdicts.every(({ passed }) => !passed)).toBe(true)
  // On a busy machine the first pattern may already use up the time for all of them.
  expect(verdicts[0]!.reason).toMatch(/did not come to an end within 250 ms|together took longer than 1000 ms/)
  expect(verdicts.at(-1)!.reason).toContain('together took longer than 1000 ms')
  // The next trial has a second of its own.
  expect(judgeAssertion({ type: 'responseMatches', pattern: '^b$' }, transcript({ finalText: 'b' })).passed).toBe(true)
})
