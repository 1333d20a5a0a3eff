import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeShown, diffItems } from './changes.ts'
import type { Column } from './columns.ts'
import { deltaText } from './delta.ts'

type Row = { id: string; passed: number; hidden?: number }
const columns: Column<Row>[] = [{ id: 'passed', title: 'Passed', width: 6, cell: row => String(row.passed) }]
const keyOf = (row: Row): string => row.id
/** Returns the part of the difference that a person can see. */
function diff(before: Row[], after: Row[], shown: Column<Row>[] = columns) {
  const { rows, gone } = diffItems(before, after, { keyOf, columns: shown })
  const changes = [...rows].flatMap(([key, row]) => {
    const change = changeShown(row, shown)
    return change ? [[key, change] as const] : []
  })
  return { rows: new Map(changes), gone }
}

describe('the changes between two answers', () => {
  const a = { id: 'a', passed: 1 }
  const b = { id: 'b', passed: 2 }

  test('include new rows, changed rows and the number of removed ones', () => {
    const other = { id: 'b', passed: 3 }
    const { rows, gone } = diff([a, b], [{ id: 'n', passed: 9 }, other])
    expect([...rows]).toEqual([
      ['b', { kind: 'changed', from: b }],
      ['n', { kind: 'new' }],
    ])
    expect(gone).toBe(1)
  })

  test('leave out a difference that no column shows', () => {
    expect(diff([a], [{ ...a, hidden: 5 }]).rows.size).toBe(0)
    const quiet: Column<Row> = { id: 'age', title: 'Age', width: 3, cell: row => `${row.hidden}`, quiet: true }
    expect(diff([a], [{ ...a, hidden: 5 }], [...columns, quiet]).rows.size).toBe(0)
  })

  test('are empty for the first answer, another list, and a further page', () => {
    expect(diff([], [a, b])).toEqual({ rows: new Map(), gone: 0 })
    expect(diff([a], [b])).toEqual({ rows: new Map(), gone: 0 })
    const page = Array.from({ length: 30 }, (_, index) => ({ id: `p${index}`, passed: index }))
    expect(diff([a, b], [a, b, ...page])).toEqual({ rows: new Map(), gone: 0 })
    expect(diff([a, b], [...page.slice(0, 9), a, ...page.slice(9), b])).toEqual({ rows: new Map(), gone: 0 })
  })

  test('leave out rows that stayed, and count removed rows', () => {
    const row = fc.record({ id: fc.constantFrom(...'abcdefgh'), passed: fc.nat(3) })
    const rows = fc.uniqueArray(row, { selector: keyOf })
    fc.assert(
      fc.property(rows, rows, fc.boolean(), (before, read, isShared) => {
        // Unchanged items of an answer are often the same objects.
        const known = (item: Row) => before.find(({ id, passed }) => id === item.id && passed === item.passed)
        const after = isShared ? read.map(item => known(item) ?? item) : read
        const found = diff(before, after)
        if (isShared) expect(found).toEqual(diff(before, read))
        const earlier = new Map(before.map(item => [item.id, item]))
        const kept = after.filter(item => earlier.has(item.id))
        if (kept.length > 0) expect(found.gone).toBe(before.length - kept.length)
        for (const [key, change] of found.rows) {
          const now = after.find(item => item.id === key)
          if (change.kind === 'new') expect(earlier.has(key)).toBe(false)
          else expect(change.from.passed).not.toBe(now?.passed)
        }
        for (const item of kept)
          if (kept.length > 0 && earlier.get(item.id)?.passed !== item.passed)
            expect(found.rows.has(item.id)).toBe(true)
      }),
    )
  })
})

test('a delta is shown only between known counts', () => {
  expect(deltaText(1024, 1030)).toBe('+6')
  expect(deltaText(9, 4)).toBe('-5')
  expect(deltaText(9, 9)).toBeUndefined()
  expect(deltaText(undefined, 4)).toBeUndefined()
  expect(deltaText(4, null)).toBeUndefined()
})
