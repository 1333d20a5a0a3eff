import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaled, type Raster } from '../../lib/raster.ts'
import { createRowParser } from '../terminal/frame-parser.ts'
import { fit } from './fit.ts'
import { HALF_BLOCK, halfBlocks } from './half-blocks.ts'
import * as kitty from './kitty.ts'

const side = fc.integer({ min: 1, max: 60 })
const raster = fc
  .tuple(side, side)
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
      .map((pixels): Raster => ({ width, height, pixels })),
  )
const room = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 100 }) })

describe('fitting a picture', () => {
  test('never takes more than its room, or less than a cell', () => {
    const pixels = fc.integer({ min: 1, max: 8_000_000 })
    fc.assert(
      fc.property(pixels, pixels, room, (width, height, given) => {
        const { columns, rows } = fit({ width, height }, given, HALF_BLOCK)
        expect(columns).toBeGreaterThanOrEqual(1)
        expect(rows).toBeGreaterThanOrEqual(1)
        expect(columns).toBeLessThanOrEqual(given.columns)
        expect(rows).toBeLessThanOrEqual(given.rows)
      }),
    )
  })

  test('keeps its size if it fits', () => {
    expect(fit({ width: 20, height: 20 }, { columns: 80, rows: 24 }, HALF_BLOCK)).toEqual({ columns: 20, rows: 10 })
    expect(fit({ width: 200, height: 20 }, { columns: 50, rows: 24 }, HALF_BLOCK)).toEqual({ columns: 50, rows: 3 })
  })
})

describe('scaling a picture', () => {
  test('of one color keeps the color at every size', () => {
    fc.assert(
      fc.property(side, side, side, side, (width, height, across, down) => {
        const pixels = new Uint8Array(width * height * 4).map((_, at) => [9, 80, 200, 255][at % 4]!)
        const { pixels: made } = scaled({ width, height, pixels }, across, down)
        expect(made).toHaveLength(across * down * 4)
        expect(made.every((value, at) => value === [9, 80, 200, 255][at % 4])).toBe(true)
      }),
    )
  })

  test('ignores the color of invisible pixels', () => {
    const pixels = Uint8Array.from([255, 0, 0, 0, 0, 100, 0, 255])
    expect([...scaled({ width: 2, height: 1, pixels }, 1, 1).pixels]).toEqual([0, 100, 0, 128])
  })
})

describe('half blocks', () => {
  test.each([1, 2, 3] as const)('fill their cells at level %i with only colors and blocks', level => {
    fc.assert(
      fc.property(raster, room, (picture, given) => {
        const cells = fit(picture, given, HALF_BLOCK)
        const rows = halfBlocks(picture, cells, level)
        expect(rows).toHaveLength(cells.rows)
        for (const row of rows) {
          expect(row).toMatch(/^(?:\u001b\[[\d;]*m|[▀▄ ])+$/)
          expect(row.replaceAll(/\u001b\[[\d;]*m/g, '')).toHaveLength(cells.columns)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('show two pixels above each other, in the nearest available colors', () => {
    const pixels = Uint8Array.from([255, 0, 0, 255, 0, 0, 240, 255])
    const drawn = (level: 1 | 2 | 3): string[] =>
      halfBlocks({ width: 1, height: 2, pixels }, { columns: 1, rows: 1 }, level)
    expect(drawn(3)).toEqual(['\u001b[0;38;2;255;0;0;48;2;0;0;240m▀\u001b[m'])
    expect(drawn(2)).toEqual(['\u001b[0;38;5;196;48;5;21m▀\u001b[m'])
    expect(drawn(1)).toEqual(['\u001b[0;91;44m▀\u001b[m'])
  })

  test('leave the background for transparent pixels', () => {
    const pixels = Uint8Array.from([255, 0, 0, 0, 0, 0, 240, 255])
    expect(halfBlocks({ width: 1, height: 2, pixels }, { columns: 1, rows: 1 }, 2)).toEqual([
      '\u001b[0;38;5;21m▄\u001b[m',
    ])
  })
})

describe('pictures in the kitty protocol', () => {
  test('have cells that encode their row and column, and are one column wide', () => {
    const numbered = fc.integer({ min: 1, max: kitty.MOST_CELLS })
    fc.assert(
      fc.property(numbered, numbered, (columns, rows) => {
        const drawn = kitty.placeholders(0x01_02_03, { columns, rows })
        const seen = new Set<string>()
        for (const row of drawn) {
          const { graphemes, styles } = createRowParser(columns).parse(row).row
          expect(graphemes).toHaveLength(columns)
          for (const grapheme of graphemes) seen.add(grapheme)
          expect(new Set(styles.map(style => style.foreground))).toEqual(new Set(['38;2;1;2;3']))
        }
        expect(seen.size).toBe(columns * rows)
      }),
      { numRuns: 10 },
    )
  })

  test('pixels are sent in pieces that contain only base64', () => {
    const deflated = 'QUJD'.repeat(3000)
    const sent = kitty.transmission(7, { width: 3, height: 4, deflated })
    const pieces = [...sent.matchAll(/\u001b_G([^;]*);([\d+/=A-Za-z]*)\u001b\\/g)]
    expect(pieces.map(([whole]) => whole).join('')).toBe(sent)
    expect(pieces.map(([, , piece]) => piece).join('')).toBe(deflated)
    expect(pieces[0]![1]).toBe('a=t,q=2,f=32,o=z,s=3,v=4,i=7,m=1')
    expect(pieces.at(-1)![1]).toBe('q=2,m=0')
  })

  test.each([
    ['\u001bP>|kitty(0.28.1)\u001b\\', true],
    ['\u001bP>|kitty(0.27.0)\u001b\\', false],
    ['\u001bP>|ghostty 1.2.0\u001b\\', true],
    ['\u001bP>|tmux 3.4\u001b\\', false],
    ['\u001bP>|XTerm(390)\u001b\\', false],
    ['\u001b[?1u', undefined],
  ])('the answer %j names a terminal that supports placeholders: %s', (reply, expected) => {
    expect(kitty.nameReply(reply)).toBe(expected)
  })
})
