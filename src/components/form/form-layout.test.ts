import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstShown, labelColumn, shownCount } from './form-layout.ts'

test('the active field is visible, and the visible fields fit unless that field alone is too tall', () => {
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

test('a form without fields shows no fields', () => {
  expect(firstShown([], 0, 5)).toBe(0)
  expect(shownCount([], 0, 5)).toBe(0)
})

test('values start after the longest label, except for labels that would fill most of the form', () => {
  expect(labelColumn([5, 19, 12], 78)).toBe(19)
  expect(labelColumn([5, 19, 60], 100)).toBe(19)
  expect(labelColumn([5, 19], 36)).toBe(5)
  expect(labelColumn([], 78)).toBe(0)
  fc.assert(
    fc.property(fc.array(fc.nat(120)), fc.nat(120), fc.integer({ min: 0, max: 200 }), (labels, more, width) => {
      const column = labelColumn(labels, width)
      expect(column).toBeLessThanOrEqual(Math.min(32, (width * 2) / 5))
      expect(labelColumn([...labels, more], width)).toBe(
        more <= Math.min(32, (width * 2) / 5) ? Math.max(column, more) : column,
      )
    }),
  )
})
