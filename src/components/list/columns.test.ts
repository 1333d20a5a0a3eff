import { describe, expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { ageCell, composeHeader, composeRow, type Column, type RowLook } from './columns.ts'
import { placeColumns } from './placing.ts'

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

describe('a row of a list', () => {
  test('shows pointer and mark at its left edge, and change and mark at its right edge after a blank', () => {
    expect(compose({})).toBe(' alpha              12  ')
    expect(compose({ selected: true })).toBe('▌alpha              12  ')
    expect(compose({ marked: true })).toBe('◆alpha              12 ◆')
    expect(compose({ marked: true, selected: true })).toBe('◈alpha              12 ◆')
    expect(compose({ change: { kind: 'new' } })).toBe(' alpha              12 +')
    expect(compose({ change: { kind: 'new' }, selected: true })).toBe('▌alpha              12 +')
    expect(compose({ change: { kind: 'new' }, marked: true })).toBe('◆alpha              12 +')
  })

  test('shows the growth of a changed count, if there is room', () => {
    const change = { kind: 'changed', from: { name: 'alpha', runs: 9 } } as const
    expect(compose({ change })).toBe(' alpha           +3 12 ~')
    expect(compose({ change }, { name: 'alpha', runs: 12345 })).toBe(' alpha           12345 ~')
    expect(compose({ change, selected: true })).toBe('▌alpha           +3 12 ~')
  })

  test('highlights a changed number while its sign shows, except on the first reading or without motion', () => {
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

test('a text is cut before the ending that distinguishes rows', () => {
  const column: Column<Row> = { id: 'run', title: 'Run', width: 10, cell: row => row.name, keeps: / #\d+$/ }
  const shown = (name: string): string =>
    composeRow(
      theme,
      [{ column, width: 10 }],
      { name, runs: 0 },
      { selected: false, focused: true, marked: false, width: 13 },
    )
  expect(shown('Reference server smoke #12')).toBe(' Refer… #12  ')
  expect(shown('Smoke #123')).toBe(' Smoke #123  ')
  expect(shown('Reference server')).toBe(' Reference…  ')
  expect(shown('Smoke #1234567')).toBe(' Smoke #12…  ')
})

test('an age is highlighted for an hour, then it is muted', () => {
  const now = Date.UTC(2026, 2, 3)
  expect(ageCell(now - 59 * 60_000, now)).toEqual({ text: '59m', tone: 'plain' })
  expect(ageCell(now - 60 * 60_000, now)).toEqual({ text: '1h', tone: 'muted' })
  expect(ageCell(undefined, now)).toEqual({ text: '—', tone: 'muted' })
})

test('the sort sign follows the title even if that fills its column, and has an ASCII form', () => {
  const placed = placeColumns(columns, 18)
  const header = (ascii: boolean, descending: boolean): string =>
    composeHeader(createTheme({ level: 0, ascii }), placed, { column: 'name', descending })
  expect(placed[0]!.width).toBe(8)
  expect(header(false, true)).toBe(' Name↓      Runs')
  expect(header(true, true)).toBe(' Name-      Runs')
  expect(header(true, false)).toBe(' Name+      Runs')
  const tight = [{ column: columns[1]!, width: 4 }]
  expect(composeHeader(theme, tight, { column: 'runs', descending: true })).toBe(' Ru…↓')
})
