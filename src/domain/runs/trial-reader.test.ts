import { expect, test } from 'vitest'
import { overWeb } from '../../../test/web.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { createTrialReader } from './trial-reader.ts'

/** Creates a reader of a run whose pages have one trial each, in the given states; one page may be refused once. */
function reader(states: string[], maxPagesPerPoll?: number, after?: string, refused?: number) {
  const asked: number[] = []
  const seen = new Set<number>()
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    fetch: overWeb(async request => {
      const at = Number(new URL(request.url).searchParams.get('cursor') ?? 0)
      const isRefused = at === refused && !seen.has(at)
      seen.add(at)
      if (isRefused) return Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: 403 })
      asked.push(at)
      const items = [{ id: `t${at}`, iterationNumber: 1, status: states[at] }]
      return Response.json({ items, nextCursor: at + 1 < states.length ? String(at + 1) : (after ?? null) })
    }),
  })
  const trials = createTrialReader(
    client,
    { projectId: 'p', runId: 'r' },
    {},
    maxPagesPerPoll ? { maxPagesPerPoll } : {},
  )
  return {
    trials,
    read: async () => {
      asked.length = 0
      return (await trials.read()).map(({ status }) => status)
    },
    asked,
  }
}

test('every page of trials is read until its trials have ended, and the last page always', async () => {
  const states = ['completed', 'running', 'pending']
  const { trials, read, asked } = reader(states)
  expect(await read()).toEqual(states)
  expect(trials.requests).toBe(3)
  states[1] = 'completed'
  expect(await read()).toEqual(states)
  expect(asked).toEqual([1, 2])
  states[2] = 'completed'
  expect(await read()).toEqual(states)
  expect(asked).toEqual([2])
  expect(trials.requests).toBe(1)
})

test('at most the allowed number of pages is read, and the other pages are returned unchanged', async () => {
  const states = ['pending', 'pending', 'pending']
  const { trials, read, asked } = reader(states, 1)
  const seen: [number, boolean][] = []
  for (let round = 0; round < 3; round += 1) seen.push([(await read()).length, trials.isWhole])
  expect(seen).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ])
  states.fill('completed')
  expect(await read()).toEqual(['completed', 'pending', 'pending'])
  expect(await read()).toEqual(['completed', 'completed', 'pending'])
  expect(await read()).toEqual(['completed', 'completed', 'completed'])
  expect(asked).toEqual([2])
  expect(trials.requests).toBe(1)
})

test('a part of the trials never counts as the whole if the service repeats a cursor', async () => {
  const { trials, read } = reader(['completed', 'completed', 'completed'], undefined, '1')
  await expect(read()).rejects.toMatchObject({ kind: 'invalid-response', code: 'repeated-cursor' })
  expect(trials.isWhole).toBe(false)
})

test('a read that fails is continued after the pages that it read, which are known until then', async () => {
  const states = ['completed', 'completed', 'completed']
  const { trials, read, asked } = reader(states, undefined, undefined, 2)
  await expect(read()).rejects.toMatchObject({ status: 403 })
  expect(trials.known.map(({ id }) => id)).toEqual(['t0', 't1'])
  expect(trials.isWhole).toBe(false)
  expect(await read()).toEqual(states)
  expect(asked).toEqual([2])
  expect(trials.known).toHaveLength(3)
})
