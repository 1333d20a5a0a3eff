import { describe, expect, test } from 'vitest'
import { createTheme } from '../../app/theme/theme.ts'
import { composeRow, placeColumns, sortItems, type Column, type RowLook } from './columns.ts'

type Row = { name: string; runs: number }
const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', width: 'flex', cell: row => row.name },
  {
    id: 'runs',
    title: 'Runs',
    width: 6,
    align: 'right',
    cell: row => String(row.runs),
    count: row => row.runs,
  },
]
const theme = createTheme({ level: 0, ascii: false })
const NARROW = 24
const WIDE = 50

function compose(look: Partial<RowLook<Row>>, item: Row = { name: 'alpha', runs: 12 }): string {
  const all = { selected: false, focused: true, marked: false, width: NARROW, ...look }
  return composeRow(theme, placeColumns(columns, all.width), item, all)
}

describe('a row', () => {
  test('shows pointer, mark and change by signs at its left edge', () => {
    expect(compose({})).toBe(' alpha                12')
    expect(compose({ selected: true })).toBe('▌alpha                12')
    expect(compose({ marked: true })).toBe('◆alpha                12')
    expect(compose({ marked: true, selected: true })).toBe('◈alpha                12')
    expect(compose({ change: { kind: 'new' } })).toBe('+alpha                12')
    expect(compose({ change: { kind: 'new' }, selected: true })).toBe('▌alpha           +    12')
    expect(compose({ change: { kind: 'new' }, marked: true })).toBe('◆alpha           +    12')
  })

  test('where it is wide, the right edge has the change besides', () => {
    const row = (left: string, right: string): string => `${left}alpha${' '.repeat(41)}12${right}`
    expect(compose({ width: WIDE })).toBe(row(' ', ' '))
    expect(compose({ width: WIDE, selected: true, change: { kind: 'new' } })).toBe(row('▌', '+'))
    expect(compose({ width: WIDE, marked: true })).toBe(row('◆', '◆'))
    expect(compose({ width: WIDE, marked: true, change: { kind: 'new' } })).toBe(row('◆', '+'))
    expect(compose({ width: WIDE, change: { kind: 'new' } })).toBe(row(' ', '+'))
  })

  test('a changed count carries what it gained, where there is room', () => {
    const change = { kind: 'changed', from: { name: 'alpha', runs: 9 } } as const
    expect(compose({ change })).toBe('~alpha             +3 12')
    expect(compose({ change }, { name: 'alpha', runs: 12345 })).toBe('~alpha             12345')
    expect(compose({ change, selected: true })).toBe('▌alpha           ~ +3 12')
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
