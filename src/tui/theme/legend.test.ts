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

test('a sign means one thing: it is in one entry', () => {
  const all = legend(symbols).flatMap(([each]) => each)
  expect(all.filter((sign, index) => all.indexOf(sign) !== index)).toEqual([])
})

test('what is changed, flaky and cut has a sign each, with ASCII too', () => {
  for (const ascii of [false, true]) {
    const { changed, flaky, ellipsis, again, live } = createTheme({ level: 0, ascii }).symbols
    expect(new Set([changed, flaky, ellipsis, again, live]).size).toBe(5)
  }
})
