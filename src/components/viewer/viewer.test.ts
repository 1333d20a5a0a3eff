import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTheme } from '../../app/theme/theme.ts'
import { markMatches, paintLines } from './paint.ts'
import { compare, lastTop, moved, TOP, visible, within, type Rows } from './scroll.ts'
import { plainText, search, textSource, toSource, type LineSource } from './source.ts'

const theme = createTheme({ level: 0, ascii: false })

describe('scrolling', () => {
  const rowCounts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 })
  const rowsOf = (counts: number[]): Rows => ({ count: counts.length, rowsOf: line => counts[line]! })

  test('walks the same rows as a text wrapped whole', () => {
    fc.assert(
      fc.property(rowCounts, fc.nat(300), fc.integer({ min: -300, max: 300 }), (counts, from, by) => {
        const all = counts.flatMap((count, line) =>
          Array.from({ length: count }, (_, row) => ({ line, row })),
        )
        const start = Math.min(from, all.length - 1)
        const end = Math.max(0, Math.min(all.length - 1, start + by))
        expect(moved(rowsOf(counts), all[start]!, by)).toEqual(all[end])
        expect(visible(rowsOf(counts), all[start]!, 9)).toEqual(all.slice(start, start + 9))
        const last = Math.max(0, all.length - 9)
        expect(lastTop(rowsOf(counts), 9)).toEqual(all[last])
        expect(within(rowsOf(counts), all[start]!, 9)).toEqual(all[Math.min(start, last)])
      }),
    )
  })

  test('positions are ordered by line, then by row', () => {
    expect(compare({ line: 1, row: 0 }, { line: 0, row: 9 })).toBeGreaterThan(0)
    expect(compare(TOP, { line: 0, row: 1 })).toBeLessThan(0)
  })
})

describe('the lines of a text', () => {
  test('are those between its line breaks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 })), texts => {
        const lines = texts.map(text => text.replaceAll('\n', ''))
        const source = textSource(lines.join('\n'))
        expect(Array.from({ length: source.count }, (_, index) => source.at(index))).toEqual(
          lines.length === 0 ? [''] : lines,
        )
      }),
    )
  })

  test('of one very long line are pieces that keep every character whole', () => {
    const text = '😀'.repeat(40_001)
    const source = textSource(text)
    const pieces = Array.from({ length: source.count }, (_, index) => plainText(source.at(index)))
    expect(pieces.length).toBeGreaterThan(7)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
  })
})

test('50 MB of text open, page and end with as many lines looked at as screens show', () => {
  const line = 'the quick brown fox jumps over the lazy dog, again and again and again, until it is tired\n'
  const text = line.repeat(Math.ceil(50_000_000 / line.length))
  const source = toSource(text)
  let asked = 0
  const counted: LineSource = {
    count: source.count,
    at(index) {
      asked += 1
      return source.at(index)
    },
  }
  const painted = paintLines(counted, theme, 60)
  const rows: Rows = { count: counted.count, rowsOf: at => painted.rows(at).length }
  let top = within(rows, TOP, 40)
  visible(rows, top, 40)
  expect(asked).toBeLessThanOrEqual(41)
  for (let page = 0; page < 10; page += 1) {
    top = within(rows, moved(rows, top, 39), 40)
    visible(rows, top, 40)
  }
  expect(asked).toBeLessThanOrEqual(420)
  visible(rows, lastTop(rows, 40), 40)
  expect(asked).toBeLessThanOrEqual(470)
  const found = search(source, 'LAZY DOG')
  expect(found).toMatchObject({ isCut: true })
  expect(found.lines).toHaveLength(10_000)
})

test('a search finds lines whatever their shape, and marks what it found in a row', () => {
  const source = toSource([
    'Alpha',
    { text: 'beta ALPHA', indent: 2 },
    {
      parts: [
        { text: 'al', tone: 'ok' },
        { text: 'pha', tone: 'warn' },
      ],
    },
    '',
  ])
  expect(search(source, 'alpha').lines).toEqual([0, 1, 2])
  const coloured = createTheme({ level: 1, ascii: false })
  const marked = markMatches(coloured, ' one alpha and ALPHA', 'alpha')
  expect(marked).toBe(
    ` one ${coloured.paint('selected', 'alpha')} and ${coloured.paint('selected', 'ALPHA')}`,
  )
  expect(markMatches(coloured, ' nothing', 'alpha')).toBe(' nothing')
})
