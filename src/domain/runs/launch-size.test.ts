import { describe, expect, test } from 'vitest'
import { earlierDurations, launchSize } from './launch-size.ts'

const prompt = { id: 'p', kind: 'prompt' as const, prompt: 'hello' }
const call = { id: 'c', kind: 'toolCall' as const }
const models = [{ model: 'a' }, { model: 'b' }]

describe('the size of a launch', () => {
  test.each([
    ['nothing', [], {}, { cases: 0, iterations: { least: 0, most: 0 }, trials: 0 }],
    ['one each', [{ steps: [call] }, { steps: [call], iterations: 3 }], {}, { trials: 4 }],
    [
      'at least the floor of the suite',
      [{ steps: [call] }, { steps: [call], iterations: 5 }],
      { floor: 2 },
      { trials: 7 },
    ],
    ['as the launch says', [{ steps: [call], iterations: 5 }], { floor: 2, iterations: 1 }, { trials: 1 }],
    ['once for each model that is asked', [{ steps: [prompt], iterations: 2, models }], {}, { trials: 4 }],
    ['whose models are not asked', [{ steps: [call], models }], {}, { trials: 1 }],
    ['with one model over all', [{ steps: [prompt], models }], { oneModel: true }, { trials: 1 }],
  ])(
    'is counted: %s',
    (
      _,
      cases,
      { floor, iterations, oneModel = false }: { floor?: number; iterations?: number; oneModel?: boolean },
      size,
    ) => {
      const suite = { settings: { minimumIterations: floor } }
      expect(launchSize(suite, cases, { iterations, oneModel })).toMatchObject(size)
    },
  )
})

test('the durations of earlier runs include only runs that were executed completely', () => {
  const run = (status: string, createdAt: number, completedAt: number | null) => ({ status, createdAt, completedAt })
  const begun = Date.UTC(2026, 0, 1)
  expect(earlierDurations([run('running', begun, null), run('cancelled', begun, begun + 1)])).toBeUndefined()
  const ended = [9_000, 1_000, 5_000].map(ms => run('completed', begun, begun + ms))
  expect(earlierDurations([run('failed', begun, begun + 1), ...ended])).toEqual({
    runs: 3,
    median: 5_000,
    least: 1_000,
    most: 9_000,
  })
})
