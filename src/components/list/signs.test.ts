import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeShown, diffItems } from './changes.ts'
import type { Column } from './columns.ts'
import type { Change } from './delta.ts'
import { isEmpty, merged, nextEnd, NO_SIGNS, shownBy, type Signs } from './signs.ts'

type Row = { id: string; passed: number; hidden: number }

const keyOf = (row: Row): string => row.id
/** Returns columns that record which rows they were asked about. */
function columnsThatNote(asked: Set<string>): Column<Row>[] {
  const cell = (row: Row): string => {
    asked.add(row.id)
    return String(row.passed)
  }
  return [{ id: 'passed', title: 'Passed', width: 6, cell }]
}
const columns = columnsThatNote(new Set())

const row = fc.record({ id: fc.constantFrom(...'abcdef'), passed: fc.nat(2), hidden: fc.nat(9) })
const answer = fc.uniqueArray(row, { selector: keyOf })
const answers = fc.array(fc.record({ after: fc.nat(5000), items: answer }), { maxLength: 12 })

test('merged changes of several answers show what drawing after every answer would show, each for its time', () => {
  fc.assert(
    fc.property(answers, history => {
      let [now, items, signs] = [0, [] as Row[], NO_SIGNS as Signs<Row>]
      const known = new Map<string, { change: Change<Row>; until: number }>()
      for (const { after, items: next } of history) {
        now += after
        const news = diffItems(items, next, { keyOf, columns })
        for (const [key, difference] of news.rows) {
          const change = changeShown(difference, columns)
          if (change) known.set(key, { change, until: now + 4000 })
        }
        signs = merged(signs, news, now)
        items = next
      }
      const shown = shownBy(signs, columns)
      for (const key of 'abcdef') {
        const expected = known.get(key)
        expect(shown.of(key)).toEqual(expected && expected.until > now ? expected.change : undefined)
      }
    }),
  )
})

test('only rows that are shown are compared, and each only once', () => {
  const asked = new Set<string>()
  const noting = columnsThatNote(asked)
  const before = [...'abc'].map(id => ({ id, passed: 0, hidden: 0 }))
  const after = before.map(each => ({ ...each, passed: 1 }))
  const shown = shownBy(merged(NO_SIGNS, diffItems(before, after, { keyOf, columns: noting }), 0), noting)
  expect(shown.of('b')).toEqual({ kind: 'changed', from: before[1] })
  expect([...asked]).toEqual(['b'])
  asked.clear()
  shown.of('b')
  expect([...asked]).toEqual([])
})

test('every sign ends, however often its row changes', () => {
  fc.assert(
    fc.property(answers, history => {
      let [now, items, signs] = [0, [] as Row[], NO_SIGNS as Signs<Row>]
      for (const { after, items: next } of history) {
        now += after
        signs = merged(signs, diffItems(items, next, { keyOf, columns }), now)
        items = next
      }
      let ends = 0
      for (let end = nextEnd(signs); end !== Infinity; end = nextEnd(signs)) {
        expect(end).toBeGreaterThan(now)
        now = end
        signs = merged(signs, { rows: new Map(), gone: 0 }, now)
        ends += 1
      }
      expect(isEmpty(signs)).toBe(true)
      expect(ends).toBeLessThanOrEqual(history.length)
    }),
  )
})
