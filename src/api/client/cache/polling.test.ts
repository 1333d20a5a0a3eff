import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { createPollingClient } from './query-client.ts'

test('polls that began apart read in the same moments, and none goes on once nobody looks', async () => {
  vi.useFakeTimers()
  try {
    const queryClient = createPollingClient()
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
