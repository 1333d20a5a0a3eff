import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createSelection } from './selection.ts'
import { followSelection } from './use-rested-index.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  return () => vi.useRealTimers()
})

function followed() {
  const selection = createSelection()
  selection.setKeys(Array.from({ length: 100 }, (_, index) => String(index)))
  const seen: number[] = []
  const follower = followSelection(selection, () => seen.push(selection.index()))
  onTestFinished(follower.stop)
  return { selection, seen, follower }
}

test('a single move is followed after a short pause, together with the keys that arrived with it', () => {
  const { selection, seen, follower } = followed()
  for (let key = 0; key < 50; key++) selection.move(1)
  expect(follower.isBehind()).toBe(true)
  vi.advanceTimersByTime(5)
  expect(seen).toEqual([50])
  expect(follower.isBehind()).toBe(false)
  vi.advanceTimersByTime(1000)
  selection.move(1)
  vi.advanceTimersByTime(5)
  expect(seen).toEqual([50, 51])
})

test('a held key is followed at its first press and once it is released', () => {
  const { selection, seen, follower } = followed()
  for (let press = 0; press < 30; press++) {
    selection.move(1)
    vi.advanceTimersByTime(33)
  }
  expect(seen).toEqual([1])
  expect(follower.isBehind()).toBe(true)
  vi.advanceTimersByTime(33)
  expect(seen).toEqual([1, 30])
})
