import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onceForText } from './once-for.ts'

test('what is made of a text is that of this text, whichever were asked for and forgotten before', () => {
  const texts = fc.array(fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'bcd', '__proto__', 'a text that is never kept'))
  fc.assert(
    fc.property(texts, fc.nat(12), (asked, most) => {
      const kept = onceForText(text => [text], most)
      for (const text of asked) expect(kept(text)).toEqual([text])
    }),
  )
})

test('a text is made something of once, until the texts are too long together', () => {
  const made: string[] = []
  const kept = onceForText(text => made.push(text), 4)
  for (const text of ['ab', 'cd', 'ab', 'e', 'ab', 'e']) kept(text)
  expect(made).toEqual(['ab', 'cd', 'e', 'ab'])
})
