import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPartSharing } from './shared-parts.ts'

test('records stay equal, and equal parts become one object', () => {
  const share = createPartSharing()
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (record, id) => {
      const [one, other] = [share({ id, part: record }), share({ id: `${id}x`, part: structuredClone(record) })]
      expect(one).toEqual({ id, part: record })
      expect(other).toEqual({ id: `${id}x`, part: record })
      expect(other.part).toBe(one.part)
    }),
  )
})
