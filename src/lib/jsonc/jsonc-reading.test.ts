import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOSTILE } from '../../../test/hostile-texts.ts'
import { readJsonc } from './jsonc-reading.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const valueOf = (text: string): unknown => {
  const read = readJsonc(text)
  return read.ok ? read.value.value : read.problems
}

test('any JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), text => {
      expect(valueOf(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('any text is read or reported with a position in it, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)), text => {
      const read = readJsonc(text)
      if (read.ok) return
      expect(read.problems.length).toBeGreaterThan(0)
      for (const { line, column } of read.problems) expect([line > 0, column > 0]).toEqual([true, true])
    }),
  )
})

test('comments and trailing commas are accepted, and parts keep their positions', () => {
  const read = readJsonc('{ // why: {"\n  "a": [1, /* no ] */ 2,],\n  "b": {"c": "x"},\n}')
  if (!read.ok) throw new Error(read.problems[0]!.message)
  const { value, at } = read.value
  expect(value).toEqual({ a: [1, 2], b: { c: 'x' } })
  expect([at(['b', 'c']), at(['b', 'c'], true), at(['a', 1]), at(['b', 'none'])]).toEqual([
    { line: 3, column: 14 },
    { line: 3, column: 9 },
    { line: 2, column: 23 },
    { line: 3, column: 8 },
  ])
})

test('duplicate names, deep nesting and invalid JSON are reported with their positions', () => {
  const twins = readJsonc('{"a": {"b": 1,\n "b": 2}}')
  expect(twins).toMatchObject({ ok: true, value: { twins: [{ path: ['a', 'b'], place: { line: 2, column: 2 } }] } })
  const deep = '['.repeat(100_000)
  expect(valueOf(deep)).toEqual([{ line: 1, column: 65, message: 'This is nested deeper than 64 levels.' }])
  expect(valueOf('{"a" 1}')).toMatchObject([
    { line: 1, column: 6, message: 'This cannot be read as JSON: colon expected.' },
  ])
  expect(valueOf('')).not.toEqual([])
  expect(valueOf('{"__proto__": {"a": 1}}')).toEqual(JSON.parse('{"__proto__": {"a": 1}}'))
})
