import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bar, sparkline } from './charts.ts'
import { widthOf } from './text.ts'
import { createTheme } from './theme.ts'

const symbols = [false, true].map(ascii => createTheme({ level: 0, ascii }).symbols)
const plain = createTheme({ level: 0, ascii: false, plain: true }).symbols
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('a bar', () => {
  test.each(symbols)('is as wide as asked, full only for all and empty only for nothing', theme =>
    fc.assert(
      fc.property(share, fc.integer({ min: 2, max: 60 }), (part, columns) => {
        const drawn = bar(theme, part, columns)
        expect(widthOf(drawn)).toBe(columns)
        expect(drawn.includes(theme.bar[0])).toBe(part > 0)
        expect(drawn.includes(theme.bar[1])).toBe(part < 1)
      }),
    ),
  )

  test('never shrinks while the share grows', () =>
    fc.assert(
      fc.property(share, share, fc.integer({ min: 1, max: 60 }), (a, b, columns) => {
        const filled = (part: number) => bar(symbols[1]!, part, columns).replaceAll('.', '').length
        expect(filled(Math.min(a, b))).toBeLessThanOrEqual(filled(Math.max(a, b)))
      }),
    ))

  test('is nothing where nothing is drawn', () => expect(bar(plain, 0.5, 20)).toBe(''))
})

describe('a line of values', () => {
  test.each(symbols)('has a column for each, the highest for all alone and a gap for the unknown', theme =>
    fc.assert(
      fc.property(fc.array(fc.option(share, { nil: undefined })), shares => {
        const drawn = [...sparkline(theme, shares)]
        expect(drawn).toHaveLength(shares.length)
        shares.forEach((part, index) => {
          if (part === undefined) expect(drawn[index]).toBe(' ')
          else expect(drawn[index] === theme.spark.at(-1)).toBe(part === 1)
          if (part === 0) expect(drawn[index]).toBe(theme.spark[0])
        })
      }),
    ),
  )

  test('is nothing where nothing is drawn', () => expect(sparkline(plain, [0, 0.5, 1])).toBe(''))
})
