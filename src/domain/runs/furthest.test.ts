import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../api/client/client.ts'
import { runProgress } from './furthest.ts'

const newClient = () => ({}) as Client
const counts = fc.record({ ended: fc.nat(50), total: fc.nat(50) })

test('progress of a run never goes back in any order of answers, and is complete only with the last trial', () =>
  fc.assert(
    fc.property(fc.array(counts), answers => {
      const progress = runProgress(newClient())
      let before = 0
      for (const { ended, total } of answers) {
        const share = progress('run', { ended, total })
        const isWhole = total > 0 && ended >= total
        expect(share === 1).toBe(isWhole)
        // The share decreases only if a trial is added after all had ended, and then to the minimum.
        expect(share).toBeGreaterThanOrEqual(Math.min(before, 0.99))
        before = share
      }
    }),
  ))

test('each run and each client has its own progress', () => {
  const client = newClient()
  expect(runProgress(client)('one', { ended: 3, total: 4 })).toBe(0.75)
  expect(runProgress(client)('other', { ended: 1, total: 4 })).toBe(0.25)
  expect(runProgress(client)('one', { ended: 2, total: 4 })).toBe(0.75)
  expect(runProgress(newClient())('one', { ended: 2, total: 4 })).toBe(0.5)
})
