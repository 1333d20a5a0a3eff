import { expect, test } from 'vitest'
import { countForms } from './tabs.tsx'

const NOW = 1_800_000_000_000
const MINUTE_MS = 60_000

test('an old count is shown with its age, or not at all', () => {
  const seen = (waiting: number, ago: number) => countForms({ waiting, at: NOW - ago }, NOW)
  expect(countForms(undefined, NOW)).toEqual([''])
  expect(seen(0, 0)).toEqual([''])
  expect(seen(3, 0)).toEqual([' 3', ''])
  expect(seen(3, 59_000)).toEqual([' 3', ''])
  expect(seen(3, 5 * MINUTE_MS)).toEqual([' 3, 5m ago', ''])
})
