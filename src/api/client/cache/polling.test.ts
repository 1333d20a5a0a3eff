import { notifyManager, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { gatherNews } from '../../../lib/clock.ts'
import { createPollingClient } from './query-client.ts'

const queryClient = createPollingClient()

test('polls that started separately are made at the same moments, and end when nobody watches', async () => {
  vi.useFakeTimers()
  try {
    const reads: string[] = []
    const moments = new Set<number>()
    const look = (name: string, refetchInterval: number) => {
      const queryFn = () => {
        reads.push(name)
        moments.add(performance.now())
        return name
      }
      return new QueryObserver(queryClient, { queryKey: [name], queryFn, refetchInterval }).subscribe(() => undefined)
    }
    const ends = [look('a', 4000)]
    await vi.advanceTimersByTimeAsync(1234)
    ends.push(look('b', 8000))
    await vi.advanceTimersByTimeAsync(20_000)
    reads.length = 0
    moments.clear()
    await vi.advanceTimersByTimeAsync(32_000)
    expect(moments.size).toBe(8)
    expect(reads.filter(name => name === 'b')).toHaveLength(4)
    for (const end of ends) end()
    await vi.advanceTimersByTimeAsync(32_000)
    expect(moments.size).toBe(8)
    queryClient.clear()
  } finally {
    vi.useRealTimers()
  }
})

test('answers are passed on together while nobody is there, and at once when someone returns', async () => {
  vi.useFakeTimers()
  try {
    gatherNews(100)
    const heard: [string, number][] = []
    // Components listen in the same way.
    const listen = (name: string) => notifyManager.batchCalls(() => heard.push([name, performance.now()]))
    const ends = ['a', 'b'].map(name =>
      new QueryObserver(queryClient, { queryKey: [name], initialData: 0, enabled: false }).subscribe(listen(name)),
    )
    const from = performance.now()
    queryClient.setQueryData(['a'], 1)
    await vi.advanceTimersByTimeAsync(40)
    queryClient.setQueryData(['b'], 1)
    expect(heard).toEqual([])
    await vi.advanceTimersByTimeAsync(60)
    expect(new Set(heard.map(([, at]) => at))).toEqual(new Set([from + 100]))
    expect(new Set(heard.map(([name]) => name))).toEqual(new Set(['a', 'b']))
    heard.length = 0
    queryClient.setQueryData(['a'], 2)
    gatherNews(0)
    expect(heard).toHaveLength(1)
    for (const end of ends) end()
  } finally {
    gatherNews(0)
    queryClient.clear()
    vi.useRealTimers()
  }
})
