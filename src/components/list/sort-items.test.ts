import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Column } from './columns.ts'
import { createItemSort } from './sort-items.ts'

type Row = { name: string; runs: number | undefined }
const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', width: 'flex', cell: row => row.name },
  { id: 'runs', title: 'Runs', width: 6, cell: row => String(row.runs), sort: row => row.runs },
]

test('a column without a sort value is sorted by its text, unknown values last', () => {
  const items = [
    { name: '—', runs: 1 },
    { name: 'item 10', runs: 2 },
    { name: 'item 9', runs: 3 },
  ]
  const sorted = (descending: boolean) =>
    createItemSort<Row>()(items, columns, { column: 'name', descending }).map(item => item.runs)
  expect(sorted(false)).toEqual([3, 2, 1])
  expect(sorted(true)).toEqual([2, 3, 1])
})

/** A row of which others have the same name and count, so that their original order decides. */
const row = fc.record({ name: fc.constantFrom('a 2', 'a 10', 'b', ''), runs: fc.option(fc.nat(3), { nil: undefined }) })
const edit = fc.record({
  kind: fc.constantFrom('add', 'remove', 'change', 'reverse', 'order', 'column'),
  at: fc.nat(1000),
  row,
})

test('adding items to a sorted list gives the same order as sorting all of them', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), fc.array(edit, { maxLength: 12 }), (rows, edits) => {
      const sort = createItemSort<Row>()
      let items = rows
      let [column, descending] = ['name', false]
      for (const { kind, at, row } of edits) {
        const place = at % (items.length + 1)
        if (kind === 'add') items = items.toSpliced(place, 0, row)
        if (kind === 'remove') items = items.toSpliced(place, 1)
        if (kind === 'change') items = items.toSpliced(place, 1, { ...row })
        if (kind === 'reverse') items = items.toReversed()
        if (kind === 'order') descending = !descending
        if (kind === 'column') column = column === 'name' ? 'runs' : 'name'
        const sorting = { column, descending }
        expect(sort(items, columns, sorting)).toEqual(createItemSort<Row>()(items, columns, sorting))
      }
    }),
  )
})

test('re-sorting a long list compares only the changed rows, wherever they belong', () => {
  const looked: Row[] = []
  const sort = createItemSort<Row>()
  const sorted = (items: readonly Row[]) => sort(items, [column], { column: 'counted', descending: false })
  const column: Column<Row> = {
    ...columns[1]!,
    id: 'counted',
    sort(row) {
      looked.push(row)
      return row.runs
    },
  }
  const items: Row[] = Array.from({ length: 20_000 }, (_, index) => ({ name: '', runs: (index * 7919) % 20_000 }))
  sorted(items)
  looked.length = 0
  const after = [...items.with(777, { name: 'other', runs: -1 }), { name: 'further', runs: 20_000 }]
  const order = sorted(after)
  expect([order[0], order.at(-1)]).toEqual([after[777], after.at(-1)])
  expect(looked).toEqual([after[777], after.at(-1)])
})
