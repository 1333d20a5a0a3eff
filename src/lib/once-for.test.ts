import fc from 'fast-check'
import { expect, test } from 'vitest'
import { latestTexts, onceForText } from './once-for.ts'

test('a text always gets its own value, whichever others were requested or dropped before', () => {
  const texts = fc.array(fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'bcd', '__proto__', 'a text that is never kept'))
  fc.assert(
    fc.property(texts, fc.nat(12), (asked, most) => {
      const kept = onceForText(text => [text], most)
      for (const text of asked) expect(kept(text)).toEqual([text])
    }),
  )
})

test('a value is made once for each text, until the texts are too long together', () => {
  const made: string[] = []
  const kept = onceForText(text => made.push(text), 4)
  for (const text of ['ab', 'cd', 'ab', 'e', 'ab', 'e']) kept(text)
  expect(made).toEqual(['ab', 'cd', 'e', 'ab'])
})

test('the latest texts are kept up to a number of characters, and a whole text replaces its parts', () => {
  const add = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    length: fc.nat(6),
    parts: fc.uniqueArray(fc.constantFrom<string>('v', 'w', 'a', 'b', 'c'), { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(add), fc.nat(12), (added, most) => {
      const kept = latestTexts(most)
      // Expected entries in order of arrival.
      let model: [name: string, text: string][] = []
      for (const { name, length, parts } of added) {
        const text = name.repeat(length)
        kept.add(name, text, parts)
        if (length <= most && !model.some(([known]) => known === name)) {
          model = [...model.filter(([known]) => !parts.includes(known)), [name, text]]
          while (model.reduce((sum, [, { length: each }]) => sum + each, 0) > most) model.shift()
        }
        for (const each of 'abcdevw') expect(kept.get(each)).toBe(new Map(model).get(each))
      }
    }),
  )
})
