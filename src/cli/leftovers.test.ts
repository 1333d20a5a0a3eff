import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createQueryClient } from '../api/query-client.ts'
import { createLeftovers } from './leftovers.ts'

describe('what a start leaves over', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function setUp() {
    const queryClient = createQueryClient()
    const collect = vi.fn<() => void>()
    const leftovers = createLeftovers(queryClient, collect)
    const read = (name: string, takes: number): void =>
      void queryClient.fetchQuery({
        queryKey: [name],
        queryFn: () => new Promise(resolve => setTimeout(() => resolve(name), takes)),
      })
    return { collect, leftovers, read, queryClient }
  }

  test('is given back once, when everything has been read', async () => {
    const { collect, read, queryClient } = setUp()
    read('short', 10)
    read('long', 500)
    await vi.advanceTimersByTimeAsync(450)
    expect(collect).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(300)
    expect(collect).toHaveBeenCalledOnce()
    read('later', 10)
    await vi.advanceTimersByTimeAsync(1000)
    expect(collect).toHaveBeenCalledOnce()
    queryClient.clear()
  })

  test('waits while keys are pressed', async () => {
    const { collect, leftovers, read, queryClient } = setUp()
    read('short', 10)
    for (let pressed = 0; pressed < 20; pressed += 1) {
      await vi.advanceTimersByTimeAsync(33)
      leftovers.putOff()
    }
    expect(collect).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(100)
    expect(collect).toHaveBeenCalledOnce()
    queryClient.clear()
  })
})
