import { expect, test } from 'vitest'
import { legend } from './legend.ts'
import { createTheme } from './theme.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const { lines: _lines, ...signs } = symbols

test('every sign of the theme is in the legend', () => {
  const known = new Set(legend(symbols).flatMap(([each]) => each))
  const drawn = Object.values(signs).flatMap(sign => (typeof sign === 'string' ? [sign] : Object.values(sign).flat()))
  expect(drawn.filter(sign => sign.trim() !== '' && sign !== symbols.pointer && !known.has(sign))).toEqual([])
  expect(known).toContain(symbols.pointer)
})

test('every sign has one meaning, and is in one entry', () => {
  const all = legend(symbols).flatMap(([each]) => each)
  expect(all.filter((sign, index) => all.indexOf(sign) !== index)).toEqual([])
})

test('changed, flaky and cut each have their own sign, even in ASCII', () => {
  for (const ascii of [false, true]) {
    const { changed, flaky, ellipsis, again, live } = createTheme({ level: 0, ascii }).symbols
    expect(new Set([changed, flaky, ellipsis, again, live]).size).toBe(5)
  }
})
