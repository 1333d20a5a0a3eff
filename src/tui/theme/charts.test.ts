import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bar, box, plot, sparkline } from './charts.ts'
import { widthOf } from './text.ts'
import { createTheme } from './theme.ts'

const symbols = [false, true].map(ascii => createTheme({ level: 0, ascii }).symbols)
const plain = createTheme({ level: 0, ascii: false, plain: true }).symbols
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('a bar of a chart', () => {
  test.each(symbols)('has the requested width, is full only for a share of 1 and empty only for 0', theme =>
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

  test('is empty if the terminal cannot draw', () => expect(bar(plain, 0.5, 20)).toBe(''))
})

describe('a line of values', () => {
  test.each(symbols)(
    'has a column for each value, the highest one only for a share of 1, and a gap for an unknown value',
    theme =>
      fc.assert(
        fc.property(fc.array(fc.option(share, { nil: undefined })), shares => {
          const drawn = [...sparkline(theme, shares)]
          expect(drawn).toHaveLength(shares.length)
          shares.forEach((part, index) => {
            if (part === undefined) expect(drawn[index]).toBe(' ')
            else expect(drawn[index] === theme.lowSpark.at(-1)).toBe(part === 1)
            if (part === 0) expect(drawn[index]).toBe(theme.lowSpark[0])
          })
        }),
      ),
  )

  test('leaves a gap to the row above, as a bar does', () => {
    expect(sparkline(symbols[0]!, [0, 0.5, 1])).toBe('▁▄▇')
    expect(bar(symbols[0]!, 0.5, 6)).toBe('━━━───')
  })

  test('is empty if the terminal cannot draw', () => expect(sparkline(plain, [0, 0.5, 1])).toBe(''))
})

describe('a plot', () => {
  const values = fc.array(fc.option(fc.oneof(share, fc.double()), { nil: undefined }), { maxLength: 80 })

  test.each(symbols)('never shrinks while the share grows, and always reaches its last row', theme =>
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 8 }), (shares, rows) => {
        const lines = plot(theme, shares, rows).map(line => [...line])
        const signs = rows === 1 ? theme.lowSpark : theme.spark
        expect(lines.map(line => line.length)).toEqual(Array.from({ length: rows }, () => shares.length))
        const heights = shares.map((_, column) =>
          lines.reduce((sum, line) => sum + 1 + signs.indexOf(line[column]!), 0),
        )
        shares.forEach((one, column) => {
          const isKnown = one !== undefined && !Number.isNaN(one)
          expect(lines.at(-1)![column] === ' ').toBe(!isKnown)
          if (!isKnown) expect(heights[column]).toBe(0)
          shares.forEach((other, index) => {
            if (one! <= other!) expect(heights[column]).toBeLessThanOrEqual(heights[index]!)
          })
        })
      }),
    ),
  )

  test('has a column for each of 20,000 points', () => {
    const [line] = plot(
      symbols[0]!,
      Array.from({ length: 20_000 }, (_, index) => index / 20_000),
      1,
    )
    expect(line).toHaveLength(20_000)
  })
})

describe('a box plot', () => {
  test('goes from the smallest value over the middle half to the largest', () => {
    expect(box(symbols[0]!, [0, 0.2, 0.3, 0.5, 1], 21)).toBe('├───░░█░░░░─────────┤')
    expect(box(symbols[1]!, [0, 0.2, 0.3, 0.5, 1], 21)).toBe('+---..#....---------+')
    expect(box(symbols[0]!, [0.5, 0.5, 0.5, 0.5, 0.5], 5)).toBe('  █  ')
    expect(box(plain, [0, 0, 0, 0, 1], 9)).toBe('')
  })

  test('has the requested width and shows its median, whatever the numbers', () =>
    fc.assert(
      fc.property(fc.array(share, { minLength: 5, maxLength: 5 }), fc.integer({ min: 1, max: 200 }), (any, columns) => {
        const drawn = box(
          symbols[0]!,
          any.toSorted((a, b) => a - b),
          columns,
        )
        expect(widthOf(drawn)).toBe(columns)
        expect([...drawn].filter(sign => sign === '█')).toHaveLength(1)
      }),
    ))
})
