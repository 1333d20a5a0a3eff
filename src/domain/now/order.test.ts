import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NOW_KINDS, URGENCIES } from './line.ts'
import { orderLines } from './order.ts'

const line = fc.record({
  key: fc.string(),
  kind: fc.constantFrom(...NOW_KINDS),
  urgency: fc.constantFrom(...URGENCIES),
  at: fc.option(fc.nat(), { nil: undefined }),
})
const lines = fc.uniqueArray(line, { selector: ({ key }) => key })

describe('the order of lines', () => {
  test('is the same for any input order, and loses no line', () => {
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.nat()), (all, numbers) => {
        const shuffled = all
          .map(each => ({ each, by: numbers.next().value }))
          .sort((one, other) => one.by - other.by)
          .map(({ each }) => each)
        expect(orderLines(shuffled)).toEqual(orderLines(all))
        expect(new Set(orderLines(all))).toEqual(new Set(all))
      }),
    )
  })

  test('groups by urgency, then by kind, and is latest first within a group', () => {
    fc.assert(
      fc.property(lines, all => {
        const ordered = orderLines(all)
        for (const [index, one] of ordered.slice(1).entries()) {
          const before = ordered[index]!
          const rank = ({ urgency, kind }: typeof one) =>
            URGENCIES.indexOf(urgency) * NOW_KINDS.length + NOW_KINDS.indexOf(kind)
          expect(rank(before)).toBeLessThanOrEqual(rank(one))
          if (rank(before) === rank(one) && one.at !== undefined) expect(before.at).toBeGreaterThanOrEqual(one.at)
        }
      }),
    )
  })
})
