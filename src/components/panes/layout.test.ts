import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paneWidths } from './layout.ts'

const weights = [3, 3, 5]

test('one pane at 80 columns, two at 120, three at 200', () => {
  expect(paneWidths({ width: 80, weights, focused: 1 })).toEqual([0, 80, 0])
  expect(paneWidths({ width: 120, weights, focused: 0 })).toEqual([60, 60, 0])
  expect(paneWidths({ width: 120, weights, focused: 2 })).toEqual([0, 45, 75])
  expect(paneWidths({ width: 200, weights, focused: 0 })).toEqual([54, 54, 92])
})

test('the focused pane always shows, and the columns add up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 400 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.nat(4),
      (width, all, at) => {
        const focused = at % all.length
        const widths = paneWidths({ width, weights: all, focused })
        expect(widths.reduce((sum, columns) => sum + columns, 0)).toBe(width)
        expect(widths[focused]).toBeGreaterThan(0)
      },
    ),
  )
})
