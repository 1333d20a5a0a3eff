import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { kept } from '../../scripts/build/replacements/kept.ts'
import { isPlainCell, isPlainText, plainColumns, plainWidth } from '../../scripts/build/replacements/plain-text.ts'
import { noStyles, shared } from '../../scripts/build/replacements/shared-styles.ts'

describe('plain characters', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(unit => plainWidth(unit) > 0)

  test('have the width that string-width gives them', () => {
    const wrong = units.filter(unit => stringWidth(String.fromCharCode(unit)) !== plainWidth(unit))
    expect(wrong).toEqual([])
  })

  test('are graphemes of their own beside every other plain or control character', () => {
    const controls = Array.from({ length: 0x20 }, (_, unit) => unit).filter(unit => unit !== 0x0d)
    const segmenter = new Intl.Segmenter()
    // Every unit stands beside each representative once, on either side.
    const representatives = [
      ...controls,
      0x20,
      0x61,
      0xa9,
      0xae,
      0x416,
      0x2014,
      0x2192,
      0x2502,
      0x25cf,
      0x2713,
      0x3042,
      0xac00,
      0xac01,
      0x4e00,
    ]
    for (const beside of representatives) {
      const row = String.fromCharCode(...units.flatMap(unit => [beside, unit]))
      expect(isPlainText(row)).toBe(true)
      expect([...segmenter.segment(row)]).toHaveLength(row.length)
    }
  })

  test('are told from everything else', () => {
    expect([...'a漢ab\n'].map(isPlainCell)).toEqual([true, false, true, true, false])
    expect([isPlainCell(''), isPlainCell('ab')]).toEqual([false, false])
    expect(plainColumns('│ a漢 \u001B[1;32m✓\u001B[m')).toBe(7)
    for (const other of ['👍', 'e\u0301', '\n', '\u001B[2K', '\u001B', '\u009B1m', '\u001B[12345m', '✔️'])
      expect(plainColumns(`a${other}`)).toBe(-1)
  })
})

test('a function that keeps its answers computes no answer twice in a row, and forgets old ones', () => {
  let computed = 0
  const length = kept(text => {
    computed += 1
    return text.length
  })
  expect([length('abc'), length('abc'), computed]).toEqual([3, 3, 1])
  for (let i = 0; i < 5000; i += 1) length(`text ${i}`)
  length('abc')
  expect(computed).toBe(5002)
  const huge = 'x'.repeat(100_000)
  expect([length(huge), length(huge), computed], 'what is huge is not held').toEqual([100_000, 100_000, 5004])
})

test('lists of the same codes are one list, others are not', () => {
  const code = fc.record({ code: fc.constantFrom('a', 'b', '","'), endCode: fc.constantFrom('', '","', 'z') })
  fc.assert(
    fc.property(fc.array(code, { maxLength: 3 }), fc.array(code, { maxLength: 3 }), (one, other) => {
      expect(shared(one)).toEqual(one)
      expect(shared([...one])).toBe(shared(one))
      expect(shared(one) === shared(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
  expect(shared([])).toBe(noStyles)
})
