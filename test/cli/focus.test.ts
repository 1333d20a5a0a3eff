import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../src/api/client/cache/query-client.ts'
import { VirtualClock } from '../client/virtual-clock.ts'
import { createFocusPace, type FocusPace } from '../../src/cli/dashboard/focus-pace.ts'
import { PATIENCE } from '../patience.ts'

let queryClient: QueryClient
let focus: FocusPace
let lineFactor = 1

beforeEach(() => {
  lineFactor = 1
  queryClient = createQueryClient()
  focus = createFocusPace({ pollFactor: () => lineFactor, subscribe: () => () => undefined }, queryClient)
})
afterEach(() => queryClient.clear())

test('without focus, polling is four times rarer, in addition to the slowdown of a slow connection', () => {
  const heard = vi.fn<() => void>()
  const unsubscribe = focus.subscribe(heard)
  expect(focus.pollFactor()).toBe(1)
  focus.set(true)
  expect(heard).not.toHaveBeenCalled()
  focus.set(false)
  expect([focus.pollFactor(), heard.mock.calls.length]).toEqual([4, 1])
  lineFactor = 2
  expect(focus.pollFactor()).toBe(8)
  focus.set(true)
  expect([focus.pollFactor(), heard.mock.calls.length]).toEqual([2, 2])
  unsubscribe()
  focus.set(false)
  expect(heard).toHaveBeenCalledTimes(2)
})

test('without keys, polling is four times rarer after a minute and twenty times after three', async () => {
  const clock = new VirtualClock()
  const unattended = createFocusPace({ pollFactor: () => 1, subscribe: () => () => undefined }, queryClient, clock)
  await clock.advance(59_000)
  unattended.attend()
  await clock.advance(59_000)
  expect(unattended.pollFactor()).toBe(1)
  await clock.advance(1_000)
  expect(unattended.pollFactor()).toBe(4)
  unattended.set(false)
  unattended.attend()
  expect(unattended.pollFactor()).toBe(4)
  unattended.set(true)
  expect(unattended.pollFactor()).toBe(1)
  await clock.advance(60_000)
  expect(unattended.pollFactor()).toBe(4)
  await clock.advance(120_000)
  expect([unattended.pollFactor(), unattended.isAttended()]).toEqual([20, false])
  unattended.set(false)
  expect(unattended.pollFactor()).toBe(20)
  unattended.set(true)
  unattended.attend()
  expect([unattended.pollFactor(), unattended.isAttended()]).toEqual([1, true])
  await clock.advance(60_000)
  expect(unattended.pollFactor()).toBe(4)
})

test('without keys for a quarter of an hour polling stops, and the first key resumes it', async () => {
  const clock = new VirtualClock()
  const unattended = createFocusPace({ pollFactor: () => 4, subscribe: () => () => undefined }, queryClient, clock)
  await clock.advance(14 * 60_000)
  expect([unattended.pollFactor(), unattended.isResting?.()]).toEqual([80, false])
  const heard = vi.fn<() => void>()
  unattended.subscribe(heard)
  await clock.advance(60_000)
  expect([heard.mock.calls.length, unattended.isResting?.()]).toEqual([1, true])
  unattended.attend()
  expect([heard.mock.calls.length, unattended.pollFactor(), unattended.isResting?.()]).toEqual([2, 4, false])
})

test('regaining focus reads old data on screen again, but nothing that has to reach a server', async () => {
  const read: string[] = []
  const watch = (name: string, queryKey: readonly unknown[], staleTime: number) => {
    const observer = new QueryObserver(queryClient, {
      queryKey,
      staleTime,
      queryFn: () => {
        read.push(name)
        return name
      },
    })
    return observer.subscribe(() => undefined)
  }
  const unsubscribe = [
    watch('old', ['runs', 'get', { projectId: 'p', runId: 'r' }], 0),
    watch('fresh', ['runs', 'list', { projectId: 'p', suiteId: 's' }], Infinity),
    watch('through', ['servers', 'doctor', { projectId: 'p', serverId: 's' }], 0),
  ]
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0), { ...PATIENCE, interval: 5 })
  read.length = 0
  focus.set(false)
  focus.set(true)
  await vi.waitFor(() => expect([read.length > 0, queryClient.isFetching()]).toEqual([true, 0]), {
    ...PATIENCE,
    interval: 5,
  })
  expect(read).toEqual(['old'])
  for (const stop of unsubscribe) stop()
})
