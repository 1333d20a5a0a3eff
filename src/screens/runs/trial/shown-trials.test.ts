import { expect, test } from 'vitest'
import { withShownTrials } from './shown-trials.ts'

function trial(id: string, title: string) {
  return {
    id,
    title,
    iterationNumber: 1,
    status: 'completed',
    result: 'failed' as const,
    durationMs: 9,
    tokensUsed: null,
    error: 'no such text',
    expectedToolCalls: [],
    actualToolCalls: [
      { toolName: 'echo', arguments: { message: title }, startedAt: id.length, result: { content: [] } },
    ],
    scores: [{ scorerId: 's', status: 'scored', rationale: 'long' }],
    evaluationConfig: { definitions: [] },
  }
}

test('a trial is reduced to what the screen shows, and to the inputs of its calls', () => {
  const page = withShownTrials({ items: [trial('t1', 'Greets')], nextCursor: 'c', note: 'other fields stay' })
  expect(page).toEqual({
    items: [
      {
        id: 't1',
        title: 'Greets',
        iterationNumber: 1,
        status: 'completed',
        result: 'failed',
        durationMs: 9,
        model: undefined,
        tokensUsed: null,
        error: 'no such text',
        expectedToolCalls: [],
        actualToolCalls: [{ toolName: 'echo', arguments: { message: 'Greets' } }],
      },
    ],
    nextCursor: 'c',
    note: 'other fields stay',
  })
})

test('trials with equal inputs share them, and a title that reads like a call stays a title', () => {
  const { items } = withShownTrials({ items: [trial('t1', 'A'), trial('t22', 'A'), trial('t3', '[]')] })
  expect(items[1]?.actualToolCalls).toBe(items[0]?.actualToolCalls)
  expect(items[2]?.actualToolCalls).not.toBe(items[0]?.actualToolCalls)
  expect(items.map(item => item.title)).toEqual(['A', 'A', '[]'])
  expect(items[2]?.expectedToolCalls).toEqual([])
})
