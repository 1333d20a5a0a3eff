import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AgentTurnRequest, type AgentTurn } from '../../api/contract/agent.ts'
import { followUp } from './follow-up.ts'

const turnOf = (question: string, reply: string | null): AgentTurn => ({
  id: 'req_1',
  status: 'answered',
  startedAt: 0,
  question,
  reply,
  calls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
})

test('a follow-up sends earlier turns, oldest first, without those that got no reply', () => {
  const turns = [turnOf('third', 'c'), turnOf('second', null), turnOf('first', 'a')]
  expect(followUp(turns, 'now').map(({ content }) => content)).toEqual(['first', 'a', 'third', 'c', 'now'])
})

test('the request of a follow-up conforms to the contract, whatever was said before', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(
      'x'.repeat(20_000),
      '\u20ac'.repeat(8000),
      '\u{1f600}'.repeat(4001),
      `a${'\u{1f600}'.repeat(4000)}`,
    ),
  )
  const turns = fc.array(fc.record({ question: text, reply: fc.option(text) }), { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(turns, said => {
      const messages = followUp(
        said.map(({ question, reply }) => turnOf(question, reply)),
        'And now?',
      )
      expect(AgentTurnRequest().safeParse({ messages }).error).toBeUndefined()
      expect(messages.length % 2).toBe(1)
      expect(messages.at(-1)).toEqual({ role: 'user', content: 'And now?' })
    }),
    { numRuns: 20 },
  )
})
