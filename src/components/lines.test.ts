import { expect, test } from 'vitest'
import { fieldLines } from './lines.ts'

test('a huge value is laid out in part and shows how much is left out', () => {
  const [short, long] = fieldLines([
    ['Name', 'x'.repeat(4000)],
    ['Description', 'y'.repeat(1_004_000)],
  ])
  expect(short).toMatchObject({ spans: [{ text: 'x'.repeat(4000) }] })
  expect(long).toMatchObject({ spans: [{ text: `${'y'.repeat(4000)} … 1,000,000 more characters` }] })
})

test.each([
  ['340ms', '340', 'ms'],
  ['1.5 MB', '1.5', ' MB'],
  ['74%', '74', '%'],
  ['12,345 tokens', '12,345', ' tokens'],
])('the number in %s is primary, and its unit is secondary', (value, number, unit) => {
  const [line] = fieldLines([['Took', value]])
  expect(line).toMatchObject({
    spans: [
      { text: number, tone: 'plain' },
      { text: unit, tone: 'muted' },
    ],
  })
})

test('a number alone, a sentence, and a value with its own tone are one piece', () => {
  for (const value of ['12', '9 of 10 graded (90%)', '2026-03-03', '3d ago'])
    expect(fieldLines([['Is', value]])).toMatchObject([{ spans: [{ text: value, tone: 'plain' }] }])
  expect(fieldLines([['Is', '12 ms', 'error']])).toMatchObject([{ spans: [{ text: '12 ms', tone: 'error' }] }])
})
