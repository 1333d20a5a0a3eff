import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeDocument } from './yaml/yaml-writing.ts'
import { clean, escapedJson, hasUnprintable, jsonText, printable } from './printable.ts'

/** Characters that control a terminal, reverse text or are invisible. */
const EVIL = [
  '\u0000\u0007\u001B\u007F\u0080\u0085\u009B\u009D\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u180B\u180E\u200B',
  '\u200E\u202A\u202E\u2028\u2029\u2060\u2066\u206F\u3164\uFE00\uFEFF\uFFA0\uFFF9\uDC00\uD83D',
]
  .flatMap(text => [...text])
  .concat('\u{E0001}', '\u{E0041}', '\u{E0100}', '\u{1D173}', '\u{1BCA0}')
const NOT_DATA = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u
const evil = fc.array(
  fc.oneof(
    fc.constantFrom(...EVIL, '\u200D', '\uFE0F', '👩', '\r', '\n', '\t', '"', '\\', ': ', '- ', ' '),
    fc.string(),
  ),
)
const text = evil.map(parts => parts.join(''))
const record = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.dictionary(text, text), fc.double(), fc.boolean()))
/** Returns a value as JSON represents it, which has no -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('JSON contains only printable characters, and the same data', () => {
  fc.assert(
    fc.property(record, fc.constantFrom(undefined, 2), (value, indent) => {
      const json = jsonText(value, indent)
      expect(json).not.toMatch(NOT_DATA)
      expect(JSON.parse(json)).toEqual(asJson(value))
    }),
  )
})

test('JSON from another program keeps its data, whatever its line ends', () => {
  fc.assert(
    fc.property(record, fc.constantFrom('\n', '\r\n', '\r'), (value, end) => {
      const raw = JSON.stringify(value, null, 2).replaceAll('\n', end)
      expect(escapedJson(raw)).not.toMatch(NOT_DATA)
      expect(JSON.parse(escapedJson(raw))).toEqual(asJson(value))
    }),
  )
})

test('YAML contains only printable characters, and the same data', () => {
  fc.assert(
    fc.property(record, value => {
      const yaml = writeDocument({ value, words: {} })
      expect(yaml).not.toMatch(NOT_DATA)
      expect(parse(yaml, { uniqueKeys: false })).toEqual(value)
    }),
    { examples: [[{ of: ' \n', list: ['\n \t\n'] }]] },
  )
})

test('text for people contains nothing invisible, and shows where it was', () => {
  for (const character of EVIL) {
    expect(clean(`a${character}b`)).toMatch(/^a(?:<[0-9A-F]{4,5}>|[\u2400-\u2421]|\uFFFD)b$/)
    expect(printable(`a${character}b`)).toBe(clean(`a${character}b`))
  }
  expect(clean('a\tb\nc')).toBe('a  b␊c')
  expect(printable('a\tb\nc\r\nd\re')).toBe('a\tb\nc\nd␍e')
  fc.assert(
    fc.property(text, it => {
      expect(clean(clean(it))).toBe(clean(it))
      expect(printable(printable(it))).toBe(printable(it))
    }),
  )
})

test('joiners and selectors are kept where their effect is visible', () => {
  const seen = ['👩‍👩‍👧‍👦', '❤️', '☎︎', '🏳️‍🌈', '👍🏽', 'می‌خواهم', 'क्‍ष', '1️⃣']
  for (const it of seen) expect(clean(it)).toBe(it)
  expect(clean('a\u200Db\u200Cc\uFE0Fd')).toBe('a<200D>b<200C>c<FE0F>d')
  expect(clean('\u17B4\u200D')).toBe('<17B4><200D>')
  expect(clean('a\uFE0F\u200D👩')).toBe('a<FE0F><200D>👩')
  expect(jsonText('👩‍👩')).toBe(String.raw`"👩\u200d👩"`)
  expect(hasUnprintable('a\nb\tc')).toBe(false)
})
