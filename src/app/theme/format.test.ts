import { expect, test } from 'vitest'
import { formatCount, UNKNOWN } from './format.ts'

test('counts are separated as in English, without the language data where they are whole', () => {
  const counts = [
    0,
    7,
    -7,
    999,
    1000,
    -1000,
    12_345,
    100_000,
    1_234_567,
    Number.MAX_SAFE_INTEGER,
    1e21,
    1234.5,
  ]
  const english = new Intl.NumberFormat('en-US')
  expect(counts.map(formatCount)).toEqual(counts.map(count => english.format(count)))
  expect([formatCount(undefined), formatCount(null)]).toEqual([UNKNOWN, UNKNOWN])
})
