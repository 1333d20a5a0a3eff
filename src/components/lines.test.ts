import { expect, test } from 'vitest'
import { fieldLines } from './lines.ts'

test('a huge value is laid out in part and says how much more there is', () => {
  const [short, long] = fieldLines([
    ['Name', 'x'.repeat(4000)],
    ['Description', 'y'.repeat(1_004_000)],
  ])
  expect(short).toMatchObject({ spans: [{ text: 'x'.repeat(4000) }] })
  expect(long).toMatchObject({ spans: [{ text: `${'y'.repeat(4000)} … 1,000,000 more characters` }] })
})
