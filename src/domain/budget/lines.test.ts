import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Spent } from '../../api/client/budget/gauge.ts'
import { spentOn, spentOver } from './lines.ts'

test('the columns of the last minute add up to the requests counted beside them', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 1000 }),
      fc.array(fc.record({ ago: fc.integer({ min: 0, max: 59 }), count: fc.integer({ min: 1, max: 9 }) })),
      (second, requests) => {
        const spent = requests.map(({ ago, count }): Spent => ({
          second: second - ago,
          place: 'Runs',
          purpose: 'visible',
          count,
          isOwn: true,
        }))
        const drawn = spentOver({ spent, second }).flatMap(({ counts }) => counts)
        expect(drawn.reduce((sum, count) => sum + count, 0)).toBe(spentOn(spent)[0]?.count ?? 0)
      },
    ),
  ))
