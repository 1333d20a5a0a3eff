import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPlaces } from './text-place.ts'

test('every position in a text equals the one found by counting line ends', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', '🦊') })
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 40 })), (text, offsets) => {
      const placeAt = createPlaces(text)
      for (const offset of offsets) {
        const before = text.slice(0, offset).split('\n')
        expect(placeAt(offset)).toEqual({ line: before.length, column: before.at(-1)!.length + 1 })
      }
    }),
  )
})
