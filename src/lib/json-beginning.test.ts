import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginningOfJson, takesMore } from './json-beginning.ts'

test('a value within the limit is written whole', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(beginningOfJson(value, JSON.stringify(value).length, indent)).toEqual({ text, isWhole: true })
    }),
  )
})

test('a longer value is about as long as the limit and marks what is left out', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(60), (value, most) => {
      const { text, isWhole } = beginningOfJson(value, most)
      if (isWhole) expect(text).toBe(JSON.stringify(value))
      else expect(text).toContain('…')
      expect(text.length).toBeLessThanOrEqual(20 * (most + 10))
      if (!isWhole) expect(JSON.stringify(value).length).toBeGreaterThan(most)
    }),
  )
})

test('no more of a value is read than can be shown', () => {
  let looks = 0
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name, self) => {
        looks += 1
        return Reflect.get(of, name, self) as unknown
      },
    })
  const list = Array.from({ length: 100_000 }, (_, at) => watched({ id: at }))
  expect(takesMore(list, 1_000)).toBe(true)
  expect(beginningOfJson({ list }, 1_000).isWhole).toBe(false)
  expect(looks).toBeLessThan(3_000)
})

test('endless nesting is cut', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level += 1) deep = { a: deep }
  expect(beginningOfJson(deep, 1_000_000).isWhole).toBe(false)
})
