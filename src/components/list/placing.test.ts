import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { widthOf } from '../../tui/theme/text.ts'
import type { Column } from './columns.ts'
import { createNeeds, neededWidth, placeColumns } from './placing.ts'

type Row = { name: string; state?: string; runs?: number }

const name: Column<Row> = { id: 'name', title: 'Name', width: 'flex', isName: true, cell: row => row.name }
const runs: Column<Row> = { id: 'runs', title: 'Runs', width: 6, align: 'right', cell: row => String(row.runs ?? 12) }
const state: Column<Row> = { id: 'state', title: 'State', width: 12, cell: row => row.state ?? 'ready' }
const note: Column<Row> = { id: 'note', title: 'Note', width: 'flex', from: 40, cell: () => 'a note of many words' }
const age: Column<Row> = { id: 'age', title: 'Age', width: 5, from: 30, cell: () => '3 min' }

const named = (length: number): Row[] => [{ name: 'short' }, { name: 'n'.repeat(length) }]

function widths(width: number, columns: readonly Column<Row>[], rows: readonly Row[]): Record<string, number> {
  const placed = placeColumns(columns, width, createNeeds<Row>()(rows))
  return Object.fromEntries(placed.map(each => [each.column.id, each.width]))
}

describe('the name column', () => {
  test('takes the unused width of the columns beside it, except from columns of numbers', () => {
    const all = [name, state, runs]
    expect(widths(35, all, named(10))).toEqual({ name: 12, state: 12, runs: 6 })
    expect(widths(35, all, named(15))).toEqual({ name: 15, state: 9, runs: 6 })
    expect(widths(35, all, named(90))).toEqual({ name: 18, state: 6, runs: 6 })
  })

  test('leaves unneeded room to a flexible column, which gets more than its minimum once names are whole', () => {
    expect(widths(64, [name, note], named(10))).toEqual({ name: 10, note: 50 })
    expect(widths(64, [name, note], named(36))).toEqual({ name: 36, note: 24 })
    expect(widths(64, [name, note], named(50))).toEqual({ name: 50, note: 10 })
    expect(widths(64, [name, note], named(90))).toEqual({ name: 52, note: 8 })
  })

  test('is shown whole before optional columns, which are dropped in order of the width that they need', () => {
    const all = [name, age, note]
    expect(widths(51, all, named(31))).toEqual({ name: 31, age: 5, note: 10 })
    expect(widths(51, all, named(35))).toEqual({ name: 42, age: 5 })
    expect(widths(42, all, named(36))).toEqual({ name: 39 })
  })

  test('takes the room of other columns until it has two thirds of the list, or 40 columns if that is more', () => {
    expect(widths(61, [name, age, note], named(90))).toEqual({ name: 43, age: 5, note: 8 })
    const wide = [
      { ...note, id: 'first', from: 60 },
      name,
      { ...note, width: 40, cell: () => 'x'.repeat(40), from: 90 },
    ]
    expect(widths(121, wide, named(70))).toEqual({ first: 47, name: 70 })
    expect(widths(121, wide, named(69))).toEqual({ first: 48, name: 69 })
    expect(widths(145, wide, named(200))).toEqual({ first: 8, name: 133 })
    const { isName, ...sentence } = name
    expect(isName).toBe(true)
    expect(widths(51, [sentence, age, note], named(90))).toEqual({ name: 33, age: 5, note: 8 })
  })
})

test('a text that is cut by its column gets the room that names leave, up to the width of the longest name', () => {
  const rows = [{ name: 'short', state: 'undecided, 24 of 40 graded' }]
  expect(widths(61, [name, state], rows)).toEqual({ name: 31, state: 26 })
  expect(widths(101, [name, state], [{ ...rows[0]!, state: 's'.repeat(90) }])).toEqual({ name: 57, state: 40 })
})

test('columns do not move if a row changes, leaves or is hidden, and another list starts again', () => {
  const needs = createNeeds<Row>()
  const place = (rows: readonly Row[]) => placeColumns([name, state, note], 71, needs(rows)).map(each => each.width)
  const before = place([{ name: 'n'.repeat(40), state: 'running' }, { name: 'short' }])
  expect(before[0]).toBe(40)
  expect(place([{ name: 'short', state: 'ok' }])).toEqual(before)
  expect(place([{ name: 'short' }, { name: 'n'.repeat(44) }])[0]).toBe(44)
  expect(createNeeds<Row>()([{ name: 'short' }])(name)).toBe(5)
})

test('a long sentence may use the blank room beside its list, but removes no column of its own list', () => {
  const { isName: _, ...sentence } = name
  const needs = createNeeds<Row>()(named(90))
  expect(neededWidth([sentence, age], 60, needs)).toBe(90 + 5 + 4)
  expect(widths(51, [sentence, age], named(90))).toEqual({ name: 42, age: 5 })
})

describe('the columns of any list with any contents', () => {
  const column = fc.record({
    width: fc.oneof(fc.constant('flex' as const), fc.integer({ min: 1, max: 20 })),
    from: fc.option(fc.integer({ min: 20, max: 120 }), { nil: undefined }),
    align: fc.option(fc.constant('right' as const), { nil: undefined }),
    text: fc.string({ unit: 'grapheme', maxLength: 90 }),
  })
  const columns = fc
    .array(column, { minLength: 1, maxLength: 7 })
    .map(all =>
      all.map(({ text, from, align, ...each }, index): Column<Row> => ({
        ...each,
        ...(from !== undefined && { from }),
        ...(align !== undefined && each.width !== 'flex' && { align }),
        id: String(index),
        isName: each.width === 'flex',
        title: 'T',
        cell: () => text,
      })),
    )
  const rows = [{ name: '' }]
  const least = ({ width, align, cell }: Column<Row>): number => {
    const most = width === 'flex' ? 8 : width
    return align === 'right' ? most : Math.min(most, Math.max(2, needed(cell(rows[0]!))))
  }
  const needed = (cell: ReturnType<Column<Row>['cell']>): number => widthOf(typeof cell === 'string' ? cell : cell.text)

  test('are never wider than the list unless their minimums are, and each has some width', () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: 10, max: 200 }), (all, width) => {
        const placed = placeColumns(all, width, createNeeds<Row>()(rows))
        const sum = (of: (each: (typeof placed)[number]) => number): number =>
          placed.reduce((total, each) => total + of(each) + 1, 1)
        expect(sum(each => each.width)).toBeLessThanOrEqual(
          Math.max(
            width,
            sum(each => least(each.column)),
          ),
        )
        for (const each of placed) expect(each.width).toBeGreaterThan(0)
      }),
    )
  })

  test('cut a name only if every other column has its minimum width', () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: 10, max: 200 }), (all, width) => {
        const placed = placeColumns(all, width, createNeeds<Row>()(rows))
        const first = placed.find(each => each.column.width === 'flex' && each.column.from === undefined)
        if (!first || first.width >= needed(first.column.cell(rows[0]!))) return
        for (const each of placed) if (each !== first) expect(each.width).toBe(least(each.column))
        const isLesserThere = placed.some(each => each.column.from !== undefined)
        if (isLesserThere) expect(first.width).toBeGreaterThanOrEqual(Math.max(40, Math.floor((width * 2) / 3)))
      }),
    )
  })

  test('are unchanged, with each name whole, in a list that is as wide as they need', () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: 10, max: 200 }), (all, width) => {
        const needs = createNeeds<Row>()(rows)
        const columnsBefore = all.filter(({ from = 0 }) => from <= width)
        const placed = placeColumns(columnsBefore, Math.max(width, neededWidth(all, width, needs)), needs)
        expect(placed.map(each => each.column)).toEqual(columnsBefore)
        for (const each of placed) if (each.column.isName) expect(each.width).toBeGreaterThanOrEqual(needs(each.column))
      }),
    )
  })

  test('never make the name narrower in a wider list with the same columns', () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: 10, max: 200 }), (all, width) => {
        const at = (columnsOfList: number) => placeColumns(all, columnsOfList, createNeeds<Row>()(rows))
        const [narrow, wide] = [at(width), at(width + 1)]
        fc.pre(narrow.length === wide.length && narrow.every((each, index) => each.column === wide[index]!.column))
        const nameOf = (placed: typeof narrow) =>
          placed.find(each => each.column.width === 'flex' && each.column.from === undefined)?.width ?? 0
        expect(nameOf(wide)).toBeGreaterThanOrEqual(nameOf(narrow))
      }),
    )
  })
})
