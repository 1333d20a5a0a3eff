import { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScreen } from './screen.ts'
import { drawableSize } from './size.ts'
import { measureWork } from '../../../test/work.ts'

const claim = fc.oneof(fc.constantFrom(0, 1, NaN, Infinity, -1, 65_535, 0.5, undefined), fc.double(), fc.nat())

test('whatever size a terminal claims, the drawn size has at least a cell and at most those of a display', () => {
  fc.assert(
    fc.property(claim, claim, (columns, rows) => {
      const size = drawableSize({ columns, rows })
      for (const cells of [size.columns, size.rows]) expect(Number.isInteger(cells) && cells >= 1).toBe(true)
      expect(size.columns * size.rows).toBeLessThanOrEqual(400_000)
    }),
  )
  expect(drawableSize({ columns: 211, rows: 63 })).toEqual({ columns: 211, rows: 63 })
  expect(drawableSize({ columns: 0, rows: NaN })).toEqual({ columns: 80, rows: 24 })
  expect(drawableSize({ columns: 1, rows: 1 })).toEqual({ columns: 1, rows: 1 })
})

test('a screen of 65,535 columns and rows is painted quickly', () => {
  let written = ''
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      written += chunk
      done()
    },
  })
  const out = Object.assign(stream, { columns: 65_535, rows: 65_535 })
  const work = measureWork()
  const screen = createScreen(out)
  screen.enter()
  screen.stdout.write('hello')
  screen.redraw()
  const painting = work()
  expect(written).toContain('hello')
  expect(painting).toBeLessThan(60)
  screen.close()
})
