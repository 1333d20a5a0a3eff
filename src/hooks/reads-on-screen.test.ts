import { QueryObserver } from '@tanstack/react-query'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { restoreAnswers } from '../api/client/cache/cache-contents.ts'
import { createQueryClient, PLANNED } from '../api/client/cache/query-client.ts'
import { createReadsOnScreen } from './reads-on-screen.ts'

const KEYS = ['a', 'b']
/** Ways to observe a read: whether it sends requests, who owns it, and whether it ever becomes outdated. */
const ways = [
  {},
  { enabled: false },
  { staleTime: Infinity },
  { staleTime: Infinity, refetchOnMount: false },
  { meta: { owner: PLANNED, every: 120_000 } },
  {
    meta: { owner: PLANNED, every: 300_000, leads: true },
    enabled: (query: { state: { data: unknown } }) => !!query.state.data,
  },
] as const

const key = fc.constantFrom(...KEYS)
const way = fc.constantFrom(...ways)
const at = fc.integer({ min: 1, max: 1_000_000 })
const step = fc.oneof(
  fc.record({ does: fc.constant('observe' as const), key, way }),
  fc.record({ does: fc.constant('change' as const), key, way, which: fc.nat(1) }),
  fc.record({ does: fc.constant('leave' as const), which: fc.nat(1) }),
  fc.record({ does: fc.constant('answer' as const), key, at }),
  fc.record({ does: fc.constant('fetch' as const), key, isFailing: fc.boolean() }),
  fc.record({ does: fc.constant('restore' as const), key, at }),
  fc.record({ does: fc.constant('invalidate' as const), key }),
  fc.record({ does: fc.constant('remove' as const), key }),
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function stage() {
  const queryClient = createQueryClient()
  const cache = queryClient.getQueryCache()
  const reads = createReadsOnScreen(cache)
  const unsubscribe = cache.subscribe(reads.take)
  const observers: { observer: QueryObserver<unknown>; end: () => void }[] = []
  const answerLater: ((fails: boolean) => void)[] = []
  const optionsOf = (name: string, how: object) => ({
    queryKey: [name],
    retry: false,
    queryFn: async () => name,
    ...how,
  })
  const take = (each: Step): void => {
    if (each.does === 'observe') {
      const observer = new QueryObserver<unknown>(queryClient, optionsOf(each.key, each.way))
      observers.push({ observer, end: observer.subscribe(() => undefined) })
    } else if (each.does === 'change') {
      observers[each.which]?.observer.setOptions(optionsOf(each.key, each.way))
    } else if (each.does === 'leave') {
      for (const { end } of observers.splice(each.which, 1)) end()
    } else if (each.does === 'answer') {
      queryClient.setQueryData([each.key], each.at, { updatedAt: each.at })
    } else if (each.does === 'fetch') {
      const queryFn = () =>
        new Promise((resolve, reject) =>
          answerLater.push(fails => (fails ? reject(new Error('no answer')) : resolve(each.key))),
        )
      void queryClient.prefetchQuery({ queryKey: [each.key], queryFn, staleTime: 0 })
      if (each.isFailing) for (const end of answerLater.splice(0)) end(true)
    } else if (each.does === 'restore') {
      restoreAnswers(queryClient, [{ key: [each.key], at: each.at, json: '"kept"' }])
    } else if (each.does === 'invalidate') {
      void queryClient.invalidateQueries({ queryKey: [each.key], refetchType: 'none' })
    } else {
      queryClient.removeQueries({ queryKey: [each.key] })
    }
  }
  const end = (): void => {
    unsubscribe()
    for (const { end } of observers) end()
    queryClient.clear()
  }
  return { cache, reads, take, end }
}

test('updating the ages with each event gives the same result as examining all reads', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 40 })
  const holds = fc.asyncProperty(steps, async all => {
    const { cache, reads, take, end } = stage()
    try {
      for (const each of all) {
        take(each)
        await Promise.resolve()
        expect(reads.ages()).toEqual(createReadsOnScreen(cache).ages())
      }
    } finally {
      end()
    }
  })
  await fc.assert(holds, { numRuns: 300 })
})

test('an answer among a thousand reads on screen examines none of the others', () => {
  const { cache, reads, take, end } = stage()
  take({ does: 'observe', key: 'a', way: {} })
  for (let other = 0; other < 1_000; other += 1)
    take({ does: 'observe', key: `other ${other}`, way: { meta: { owner: PLANNED, every: 300_000 } } })
  const looks = vi.spyOn(cache, 'getAll')
  take({ does: 'answer', key: 'other 7', at: 1 })
  take({ does: 'answer', key: 'a', at: 2 })
  expect(reads.ages().oldest).toBe(2)
  expect(looks).not.toHaveBeenCalled()
  end()
})
