import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean } from '../../tui/theme/text.ts'
import { inputLines } from './approval.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter(value => value.isWellFormed()),
  fc.string({ unit: fc.constantFrom('e', '\u0301', '\u200B', '\u{1D165}', '漢', '"', '\n', '\u202E'), maxLength: 60 }),
  fc.integer({ min: 1, max: 30_000 }).map(length => 'x'.repeat(length)),
)

test('the whole input of a proposal is shown, however long or unusual its texts are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(text, fc.array(text), fc.integer())), input => {
      const drawn = inputLines(input).map(clean)
      expect(JSON.parse(drawn.join(''))).toEqual(input)
    }),
  )
  const hidden = { name: 'harmless', description: `${'x'.repeat(15_000)} and the end of it` }
  expect(inputLines(hidden).map(clean).join('')).toContain('and the end of it')
})
