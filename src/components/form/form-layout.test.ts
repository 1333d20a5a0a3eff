import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstShown, shownCount } from './form-layout.ts'

test('the active field shows, and what shows fits unless that field alone is too tall', () => {
  const heights = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(heights, fc.nat(), fc.integer({ min: 1, max: 30 }), (fields, choice, rows) => {
      const active = choice % fields.length
      const first = firstShown(fields, active, rows)
      const count = shownCount(fields, first, rows)
      const shown = fields.slice(first, first + count)
      expect(first).toBeLessThanOrEqual(active)
      expect(first + count).toBeGreaterThan(active)
      const used = shown.reduce((sum, height) => sum + height, 0)
      expect(used <= rows || shown.length === 1).toBe(true)
    }),
  )
})

test('a form without fields shows none', () => {
  expect(firstShown([], 0, 5)).toBe(0)
  expect(shownCount([], 0, 5)).toBe(0)
})
