import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clean, fit, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import { edit, editedText, insert, type EditAction } from './edit-text.ts'
import { besideRow, countFieldRows, fieldRows } from './field-rows.ts'
import { measureWork } from '../../../test/work.ts'

/** Characters that take no columns, that join without end, or that are slow to measure. */
const units = {
  'a zero-width non-joiner': '\u200c',
  'a zero-width joiner': '\u200d',
  'a zero-width space': '\u200b',
  'a combining mark': '\u0301',
  'a soft hyphen': '\u00ad',
  'a Hangul filler': '\u3164',
  'a variation selector': '\ufe0f',
  'a tag': '\u{E0041}',
  'a leading jamo': '\u1100',
  'a conjunct': 'क\u094d',
  'a joined picture': '👩\u200d',
  'a family': '👩‍👩‍👧‍👦',
  'a flag': '🇩🇪',
  'a stack of marks': `e${'\u0301\u0489'.repeat(30)}`,
  'a letter': 'é',
  'an ideograph': '漢',
  'an escape': '\u001b[1;',
}
const COLUMNS = 80
const look = { width: COLUMNS, rows: 8, lineBreak: ' ' }

describe.each(Object.entries(units))('a text that consists only of %s', (_name, unit) => {
  const text = `a${unit.repeat(2_000_000 / unit.length)}`

  test('is drawn in a list of fifty rows with little work and few characters', () => {
    const rows: string[] = []
    const work = measureWork()
    for (let row = 0; row < 50; row += 1) rows.push(fit(clean(text), COLUMNS))
    rows.push(...wrap(clean(text), COLUMNS, { most: 3 }))
    const cost = work()
    expect(rows.every(row => widthOf(row) <= COLUMNS)).toBe(true)
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThan(40 * COLUMNS)
    expect(cost).toBeLessThan(140)
  })

  test('is edited in a field with little work', () => {
    const actions: EditAction[] = ['left', 'right', 'wordLeft', 'wordRight', 'erase', 'delete', 'killWordLeft']
    const work = measureWork()
    for (const action of actions) {
      const state = insert(edit(editedText(text), action), 'x')
      countFieldRows(state.text, look)
      const rows = fieldRows(state.text, state.cursor, look)
      expect(rows.length).toBeLessThanOrEqual(look.rows)
      expect(rows.some(({ at }) => at !== undefined)).toBe(true)
      besideRow(state.text, state.cursor, look, -1)
    }
    expect(work()).toBeLessThan(140)
  })
})

test('a cleaned text has no grapheme longer than any that people write', () => {
  const part = fc.tuple(fc.constantFrom(...Object.values(units), 'a', ' '), fc.integer({ min: 1, max: 300 }))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), parts => {
      const text = clean(parts.map(([unit, count]) => unit.repeat(count)).join(''))
      for (const { segment } of new Intl.Segmenter().segment(text)) expect(segment.length).toBeLessThanOrEqual(40)
      expect(truncate(text, COLUMNS).length).toBeLessThan(40 * COLUMNS)
    }),
  )
})
