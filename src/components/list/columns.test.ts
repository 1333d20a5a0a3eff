import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { ageCell, composeHeader, composeRow, placeColumns, type Column, type RowLook } from './columns.ts'

type Row = { name: string; runs: number }
const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', width: 'flex', cell: row => row.name },
  { id: 'runs', title: 'Runs', width: 6, align: 'right', cell: row => String(row.runs), count: row => row.runs },
]
const theme = createTheme({ level: 0, ascii: false })
const NARROW = 24

function compose(look: Partial<RowLook<Row>>, item: Row = { name: 'alpha', runs: 12 }): string {
  const all = { selected: false, focused: true, marked: false, width: NARROW, ...look }
  return composeRow(theme, placeColumns(columns, all.width), item, all)
}

describe('a row', () => {
  test('shows pointer and mark at its left edge, change and mark at its right one', () => {
    expect(compose({})).toBe(' alpha               12 ')
    expect(compose({ selected: true })).toBe('▌alpha               12 ')
    expect(compose({ marked: true })).toBe('◆alpha               12◆')
    expect(compose({ marked: true, selected: true })).toBe('◈alpha               12◆')
    expect(compose({ change: { kind: 'new' } })).toBe(' alpha               12+')
    expect(compose({ change: { kind: 'new' }, selected: true })).toBe('▌alpha               12+')
    expect(compose({ change: { kind: 'new' }, marked: true })).toBe('◆alpha               12+')
  })

  test('a changed count carries what it gained, where there is room', () => {
    const change = { kind: 'changed', from: { name: 'alpha', runs: 9 } } as const
    expect(compose({ change })).toBe(' alpha            +3 12~')
    expect(compose({ change }, { name: 'alpha', runs: 12345 })).toBe(' alpha            12345~')
    expect(compose({ change, selected: true })).toBe('▌alpha            +3 12~')
  })

  test('a number that changed stands out while its sign shows, not on the first reading and not without motion', () => {
    const colours = createTheme({ level: 3, ascii: false })
    const bright = colours.paint('accent', '+3 12')
    const row = (from: Row, look: Partial<RowLook<Row>>): string => {
      const change = { kind: 'changed', from } as const
      const all = { selected: false, focused: true, marked: false, width: NARROW, change, ...look }
      return composeRow(colours, placeColumns(columns, NARROW), { name: 'alpha', runs: 12 }, all)
    }
    const before = { name: 'alpha', runs: 9 }
    expect(row(before, { flashes: true })).toContain(colours.paint('accent', ' +3 12'))
    expect(row(before, { flashes: false })).not.toContain(bright)
    expect(row({ name: 'beta', runs: 12 }, { flashes: true })).not.toMatch(/\u001b\[[^m]*m +12/)
    expect(row(before, { flashes: true, change: { kind: 'new' } })).toContain(colours.paint('plain', '    12'))
  })
})

test('an age stands out for an hour, then it fades', () => {
  const now = Date.UTC(2026, 2, 3)
  expect(ageCell(now - 59 * 60_000, now)).toEqual({ text: '59m', tone: 'plain' })
  expect(ageCell(now - 60 * 60_000, now)).toEqual({ text: '1h', tone: 'muted' })
  expect(ageCell(undefined, now)).toEqual({ text: '—', tone: 'muted' })
})

test('the sign of the order stands behind the title also where that fills its column, and reads with ASCII signs', () => {
  const placed = placeColumns(columns, 12)
  const header = (ascii: boolean, descending: boolean): string =>
    composeHeader(createTheme({ level: 0, ascii }), placed, { column: 'name', descending })
  expect(placed[0]!.width).toBe(8)
  expect(header(false, true)).toBe(' Name↓      Runs')
  expect(header(true, true)).toBe(' Name-      Runs')
  expect(header(true, false)).toBe(' Name+      Runs')
  const tight = [{ column: columns[1]!, width: 4 }]
  expect(composeHeader(theme, tight, { column: 'runs', descending: true })).toBe(' Ru…↓')
})

describe('a name', () => {
  const named = (length: number): Row[] => [
    { name: 'short', runs: 1 },
    { name: 'n'.repeat(length), runs: 12 },
  ]
  const state: Column<Row> = { id: 'state', title: 'State', width: 12, cell: () => 'ready' }
  const note: Column<Row> = { id: 'note', title: 'Note', width: 'flex', from: 40, cell: () => 'a note of many words' }
  const age: Column<Row> = { id: 'age', title: 'Age', width: 5, from: 30, cell: () => '3 min' }
  const widths = (width: number, length: number, from: Column<Row>[]): Record<string, number> =>
    Object.fromEntries(placeColumns(from, width, named(length)).map(each => [each.column.id, each.width]))

  test('takes the slack of the columns beside it, but not where a count shows what it gained', () => {
    const all = [columns[0]!, state, columns[1]!]
    expect(widths(34, 10, all)).toEqual({ name: 12, state: 12, runs: 6 })
    expect(widths(34, 15, all)).toEqual({ name: 15, state: 9, runs: 6 })
    expect(widths(34, 90, all)).toEqual({ name: 18, state: 6, runs: 6 })
  })

  test('leaves another flexible column what it does not need, and takes from it before it is cut', () => {
    const all = [columns[0]!, note]
    expect(widths(63, 10, all)).toEqual({ name: 10, note: 50 })
    expect(widths(63, 36, all)).toEqual({ name: 36, note: 24 })
    expect(widths(63, 60, all)).toEqual({ name: 40, note: 20 })
    expect(widths(53, 60, all)).toEqual({ name: 40, note: 10 })
  })

  test('stands whole before what shows from a width, the widest of these first, up to a length', () => {
    const all = [columns[0]!, age, note]
    expect(widths(50, 31, all)).toEqual({ name: 31, age: 5, note: 10 })
    expect(widths(50, 35, all)).toEqual({ name: 42, age: 5 })
    expect(widths(41, 36, all)).toEqual({ name: 39 })
    expect(widths(60, 90, all)).toEqual({ name: 40, age: 5, note: 11 })
  })

  test('no choice of columns is wider than the list, and each has room', () => {
    const column = fc.record({
      width: fc.oneof(fc.constant('flex' as const), fc.integer({ min: 1, max: 20 })),
      from: fc.option(fc.integer({ min: 20, max: 120 }), { nil: undefined }),
      text: fc.string({ unit: 'grapheme', maxLength: 90 }),
    })
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 7 }), fc.integer({ min: 10, max: 200 }), (all, width) => {
        const made = all.map(({ text, from, ...each }, index) => ({
          ...each,
          ...(from !== undefined && { from }),
          id: String(index),
          title: 'T',
          cell: () => text,
        }))
        const sum = (items: readonly Row[]): number =>
          placeColumns(made, width, items).reduce((total, each) => total + each.width + 1, 0)
        expect(sum(named(5))).toBeLessThanOrEqual(Math.max(width - 1, sum([])))
        for (const each of placeColumns(made, width, named(5))) expect(each.width).toBeGreaterThan(0)
      }),
    )
  })
})
