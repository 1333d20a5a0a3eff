import { describe, expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { composeHeader, composeRow, placeColumns, sortItems, type Column, type RowLook } from './columns.ts'

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
})

test('a column that names no value to sort by sorts by what it shows, unknown ones last', () => {
  const items = [
    { name: '—', runs: 1 },
    { name: 'item 10', runs: 2 },
    { name: 'item 9', runs: 3 },
  ]
  const sorted = (descending: boolean): number[] =>
    sortItems(items, columns, { column: 'name', descending }).map(item => item.runs)
  expect(sorted(false)).toEqual([3, 2, 1])
  expect(sorted(true)).toEqual([2, 3, 1])
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
