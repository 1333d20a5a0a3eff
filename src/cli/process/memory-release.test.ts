import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { createMemoryRelease } from './memory-release.ts'
import { slowAnswer } from '../../../test/pause.ts'

describe('garbage left by the start of the program', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function setUp() {
    const queryClient = createQueryClient()
    const collect = vi.fn<() => void>()
    let resident = 90e6
    const grow = (bytes: number): void => void (resident += bytes)
    const machine = { collect, resident: () => resident, now: Date.now }
    const release = createMemoryRelease(() => queryClient.isFetching() > 0, machine)
    queryClient.getQueryCache().subscribe(event => {
      if (event.type === 'updated') release.putOff()
    })
    const read = (name: string, takes: number): void =>
      void queryClient.fetchQuery({ queryKey: [name], queryFn: () => slowAnswer(takes, name) })
    return { collect, release, read, grow, queryClient }
  }

  test('is collected once, after everything was read', async () => {
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

  test('is collected again after five minutes once memory has grown by ten megabytes', async () => {
    const { collect, read, grow, queryClient } = setUp()
    read('first', 10)
    await vi.advanceTimersByTimeAsync(200)
    grow(11e6)
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    read('second', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(60_000)
    read('third', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledTimes(2)
    queryClient.clear()
  })

  test('is collected again once memory has grown by a hundred megabytes, but not within ten seconds', async () => {
    const { collect, read, grow, queryClient } = setUp()
    read('first', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledOnce()
    grow(99e6)
    await vi.advanceTimersByTimeAsync(10_000)
    read('second', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledOnce()
    grow(2e6)
    read('third', 10)
    await vi.advanceTimersByTimeAsync(5000)
    expect(collect).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(5000)
    read('fourth', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledTimes(2)
    queryClient.clear()
  })

  test('is collected between reads without a pause if memory has grown by twice as much', async () => {
    const { collect, release, read, grow, queryClient } = setUp()
    read('first', 10)
    await vi.advanceTimersByTimeAsync(200)
    read('endless', 1e6)
    grow(150e6)
    await vi.advanceTimersByTimeAsync(10_000)
    release.putOff()
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledOnce()
    grow(60e6)
    release.putOff()
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(1e6)
    queryClient.clear()
  })

  test('is collected again, whatever the growth, if nobody is there and nothing is being read', async () => {
    const { collect, release, read, queryClient } = setUp()
    read('first', 10)
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledOnce()
    read('long', 500)
    release.leave()
    await vi.advanceTimersByTimeAsync(400)
    expect(collect).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(200)
    expect(collect).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(20_000)
    read('later', 10)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(collect).toHaveBeenCalledTimes(2)
    queryClient.clear()
  })

  test('is not collected while keys are pressed', async () => {
    const { collect, release, read, queryClient } = setUp()
    read('short', 10)
    for (let pressed = 0; pressed < 20; pressed += 1) {
      await vi.advanceTimersByTimeAsync(33)
      release.putOff()
    }
    expect(collect).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(100)
    expect(collect).toHaveBeenCalledOnce()
    queryClient.clear()
  })
})
