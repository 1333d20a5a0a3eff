import { expect, test } from 'vitest'
import { fieldLines } from './lines.ts'
import { pairFields } from './viewer.tsx'

const fieldsOf = (count: number) =>
  fieldLines(Array.from({ length: count }, (_, at) => [`label ${at}`, 'value'] as const))

test('short fields are placed side by side in a wide pane', () => {
  expect(pairFields(fieldsOf(10), 100)).toHaveLength(5)
  expect(pairFields(fieldsOf(10), 60)).toHaveLength(10)
})

test('a list of many thousand fields is shown unpaired, without measuring each of them', () => {
  const lines = fieldsOf(100_000)
  expect(pairFields(lines, 100)).toBe(lines)
})
