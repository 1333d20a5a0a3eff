import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../tui/theme/text.ts'
import { besideRow, countFieldRows, fieldRows } from './field-rows.ts'

const look = (width: number, rows: number, mask?: string) => ({ width, rows, mask, lineBreak: '↵' })
/** Returns the rows with the character under the cursor in brackets. */
const drawn = (text: string, cursor: number, to: ReturnType<typeof look>): string[] =>
  fieldRows(text, cursor, to).map(({ before, at, after }) => `${before}${at === undefined ? '' : `[${at}]`}${after}`)

const PIECES = ['a', ' ', '\n', '\t', '\u001b', '漢', 'e\u0301', '\u0301', '👩‍👩‍👧', '\u202e', '\ud83d', '🇦🇹']
const aText = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...PIECES)).map(pieces => pieces.join('')),
)

test('the cursor covers a whole character, or is after the last one', () => {
  expect(drawn('a漢b', 1, look(10, 1))).toEqual(['a[漢]b '])
  expect(drawn('xe\u0301', 1, look(10, 1))).toEqual(['x[e\u0301] '])
  expect(drawn('👩‍👩‍👧', 8, look(10, 1))).toEqual(['👩‍👩‍👧[ ]'])
  expect(drawn('', 0, look(10, 1))).toEqual(['[ ]'])
})

test('a single row scrolls sideways with the cursor, and several rows continue below', () => {
  expect(drawn('abcdefgh', 8, look(4, 1))).toEqual(['fgh[ ]'])
  expect(drawn('abcdefgh', 0, look(4, 1))).toEqual(['[a]bcd'])
  expect(drawn('abcdefgh', 5, look(4, 3))).toEqual(['abcd', 'e[f]gh', ' '])
  expect(drawn('漢字漢', 3, look(5, 2))).toEqual(['漢字', '漢[ ]'])
})

test('line breaks are visible even under the cursor, and secrets show only their length', () => {
  expect(drawn('a\n\nb', 1, look(9, 4))).toEqual(['a[↵]', '↵', 'b '])
  expect(drawn('a\n', 2, look(9, 4))).toEqual(['a↵', '[ ]'])
  expect(drawn('se漢', 3, look(9, 1, '*'))).toEqual(['***[ ]'])
})

test('a text with more rows than fit shows those around the cursor', () => {
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')
  expect(drawn(text, text.length, look(20, 3))).toEqual(['line 17↵', 'line 18↵', 'line 19[ ]'])
  expect(drawn(text, 0, look(20, 3))[0]).toBe('[l]ine 0↵')
})

test('up and down keep the column, and stop at the first and the last row', () => {
  const text = 'abcd\nx\n漢字漢'
  expect(besideRow(text, 3, look(9, 8), 1)).toBe(6)
  expect(besideRow(text, 5, look(9, 8), 1)).toBe(7)
  expect(besideRow(text, 9, look(9, 8), -1)).toBe(6)
  expect(besideRow(text, 2, look(9, 8), -1)).toBeUndefined()
  expect(besideRow(text, 8, look(9, 8), 1)).toBeUndefined()
})

test('any text fits its rows, shows exactly one cursor, and contains no terminal sequence', () => {
  fc.assert(
    fc.property(
      aText,
      fc.nat(),
      fc.integer({ min: 6, max: 30 }),
      fc.integer({ min: 1, max: 9 }),
      (text, at, width, rows) => {
        const bounds = [...[...new Intl.Segmenter().segment(text)].map(({ index }) => index), text.length]
        const shown = fieldRows(text, bounds[at % bounds.length]!, look(width, rows))
        expect(shown.filter(row => row.at !== undefined)).toHaveLength(1)
        expect(shown.length).toBeLessThanOrEqual(rows)
        if (rows > 1) expect(shown).toHaveLength(countFieldRows(text, look(width, rows)))
        for (const row of shown) {
          const all = row.before + (row.at ?? '') + row.after
          expect(widthOf(all)).toBeLessThanOrEqual(width)
          expect(all).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
        }
      },
    ),
  )
})
