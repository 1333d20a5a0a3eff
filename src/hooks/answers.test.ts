import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from '../api/client/cache/query-client.ts'
import type { ApiError } from '../api/client/errors/api-error.ts'
import { fromLastAnswer, type PolledQuery, unchangedAnswers } from './answers.ts'

test('unchanged answers are counted, each once, until an answer differs', () => {
  const query = { state: { data: undefined as unknown, dataUpdateCount: 0 } as PolledQuery['state'] }
  const counts = ['a', 'a', 'a', 'b', 'b'].map(data => {
    query.state = { ...query.state, data, dataUpdateCount: query.state.dataUpdateCount + 1 }
    return [unchangedAnswers(query), unchangedAnswers(query)]
  })
  expect(counts).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [0, 0],
    [1, 1],
  ])
})

test.each(['recovers', 'falls'])(
  'the next poll is due one pause after the last answer, even while the rate %s all the time',
  async way => {
    vi.useFakeTimers()
    try {
      const queryClient = createQueryClient()
      let reads = 0
      let pause = 10_000
      const observe = () => {
        const queryFn = () => (reads += 1)
        return { queryKey: ['runs'], queryFn, refetchInterval: (query: PolledQuery) => fromLastAnswer(query, pause) }
      }
      const observer = new QueryObserver<number, ApiError>(queryClient, observe())
      const stop = observer.subscribe(() => undefined)
      for (let second = 0; second < 120; second += 1) {
        await vi.advanceTimersByTimeAsync(1_000)
        pause += way === 'recovers' ? -20 : 20
        observer.setOptions(observe())
      }
      expect(reads).toBeGreaterThanOrEqual(10)
      expect(reads).toBeLessThanOrEqual(16)
      stop()
      queryClient.clear()
    } finally {
      vi.useRealTimers()
    }
  },
)

test('a poll whose pause was shortened is due one shorter pause after its last answer', async () => {
  vi.useFakeTimers()
  try {
    const queryClient = createQueryClient()
    let reads = 0
    const every = (pause: number) => ({
      queryKey: ['suites'],
      queryFn: () => (reads += 1),
      refetchInterval: (query: PolledQuery) => fromLastAnswer(query, pause),
    })
    const observer = new QueryObserver<number, ApiError>(queryClient, every(50_000))
    const stop = observer.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(10_000)
    observer.setOptions(every(12_000))
    await vi.advanceTimersByTimeAsync(3_000)
    expect(reads).toBe(2)
    await vi.advanceTimersByTimeAsync(12_500)
    expect(reads).toBe(3)
    stop()
    queryClient.clear()
  } finally {
    vi.useRealTimers()
  }
})
