import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EvalCaseCreateRequest } from '../src/api/contract/suites.ts'
import { textOfResult } from '../src/domain/suites/result-text.ts'
import { assertionsIn, caseOfCall, type CallMade } from '../src/domain/suites/call-case.ts'
import { documentFaults } from '../src/domain/suites/case-faults.ts'
import { readCase, writeCases } from '../src/domain/suites/case-form.ts'
import { readYaml } from '../src/lib/yaml/yaml-reading.ts'
import { judgeAssertion } from '../src/service/evals/assertions.ts'
import { HOSTILE, HOSTILE_FURTHER } from './hostile-texts.ts'
import { anyCharacter } from './any-character.ts'

const words = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string(),
  fc.constantFrom(...HOSTILE, ...HOSTILE_FURTHER, '^(a+)+$', 'a.b|c\\d', 'at 12:30', 'line\nline', ' \n'),
  fc.json(),
)
const call: fc.Arbitrary<CallMade> = fc.record({
  serverName: words,
  toolName: words.filter(word => word !== ''),
  args: fc.dictionary(words, fc.jsonValue()),
  result: fc.record(
    {
      content: fc.array(
        fc.oneof(
          words.map(text => ({ type: 'text', text })),
          fc.dictionary(words, fc.jsonValue()),
        ),
      ),
      isError: fc.boolean(),
      structuredContent: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
})

test('the case of any call is valid under the contract, and its assertions contain no mistake', () => {
  fc.assert(
    fc.property(call, made => {
      const form = caseOfCall(made)
      expect(EvalCaseCreateRequest().safeParse(form)).toMatchObject({ success: true })
      for (const assertion of assertionsIn(form)) {
        const read = readYaml(JSON.stringify({ title: 'x', steps: [{ id: 'a', kind: 'assert', assertion }] }))
        if (read.ok) expect(documentFaults(read.value[0]!, new Map())).toEqual([])
      }
      expect(form.title).toMatch(/\S/)
      expect([...form.title].length).toBeLessThanOrEqual(61)
    }),
  )
})

test('an unchanged result passes all assertions of the case made from its call', () => {
  fc.assert(
    fc.property(call, ({ ...made }) => {
      const { toolName, args, result } = made
      const transcript = {
        messages: [],
        toolCalls: [
          { stepId: 'call', serverName: 's', toolName, arguments: args, startedAt: 0, durationMs: 1, result },
        ],
        finalText: textOfResult(result),
        userTurns: 0,
      }
      for (const assertion of assertionsIn(caseOfCall(made)))
        expect(judgeAssertion(assertion, transcript)).toMatchObject({ passed: true })
    }),
  )
})

const answered = (text: string, more: object = {}): readonly unknown[] =>
  assertionsIn(
    caseOfCall({
      serverName: 'demo',
      toolName: 'echo',
      args: {},
      result: { content: [{ type: 'text', text }], ...more },
    }),
  )

test.each([
  ['The sum is 5.', { type: 'responseMatches', pattern: '^The sum is 5\\.$' }],
  ['[a](b) {c} ^$|*?+\\', { type: 'responseMatches', pattern: '^\\[a\\]\\(b\\) \\{c\\} \\^\\$\\|\\*\\?\\+\\\\$' }],
  ['Made at 2026-11-23 10:00', { type: 'finalAssistantMessageNonEmpty' }],
  ['id 0f4e2b1c-9a77-4b1e-8f5d-1d2c3b4a5968', { type: 'finalAssistantMessageNonEmpty' }],
  ['issue abc123def4 opened', { type: 'finalAssistantMessageNonEmpty' }],
  ['took 12 ms', { type: 'finalAssistantMessageNonEmpty' }],
  ['x'.repeat(201), { type: 'finalAssistantMessageNonEmpty' }],
])('a result is asserted exactly only if it will be the same again: %s', (text, assertion) => {
  expect(answered(text)).toEqual([{ type: 'noToolErrors' }, assertion])
})

test('the fields of a JSON object are asserted if its values change', () => {
  expect(answered('{"id": 123456, "at": "2026-11-23"}')).toEqual([
    { type: 'noToolErrors' },
    { type: 'responseContains', needle: '"id"', caseSensitive: true },
    { type: 'responseContains', needle: '"at"', caseSensitive: true },
  ])
})

test('the case of a call that returned an error does not assert that there is no error', () => {
  expect(answered('No such user.', { isError: true })).toEqual([
    { type: 'toolCalledAtLeastOnce', toolName: 'echo' },
    { type: 'responseMatches', pattern: '^No such user\\.$' },
  ])
})

test('the case of a call is read back unchanged from its text', () => {
  const form = caseOfCall({ serverName: 'demo', toolName: 'sum', args: { a: 2, b: 3 }, result: { content: [] } })
  expect(form.title).toBe('sum {"a":2,"b":3}')
  expect(readCase(writeCases([form]))).toEqual({ ok: true, value: form })
})
