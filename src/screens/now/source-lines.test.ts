import { expect, test } from 'vitest'
import { localClock } from '../../lib/times.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { clearState, coverageLabel, isReadSince, sourceOf } from '../../domain/now/sources.ts'
import { sourceLines } from './source-lines.ts'

const NOW = Date.now()
const PROJECT = { id: 'p1', name: 'Desk' }

const AT = { projects: '1 project', isLocal: true }
const answered = (data: object) => ({ data, error: null, at: NOW })
const whole = sourceOf('suites', answered({ items: [], nextCursor: null }), PROJECT)
const cut = sourceOf('swarm', answered({ items: [], nextCursor: 'more' }), PROJECT)

test('a list that was read only in part is reported first', () => {
  expect(coverageLabel([whole], '1 project', NOW)).toEqual({ tone: 'muted', text: '1 project, read just now' })
  expect(coverageLabel([whole, cut, cut], '1 project', NOW)).toEqual({
    tone: 'warn',
    text: 'Not all of: swarm findings in Desk and 1 more; 1 project, read just now',
  })
})

test('if answers came at different times, the oldest counts', () => {
  expect(coverageLabel([whole, { ...whole, at: NOW - 180_000 }], '1 project', NOW).text).toBe(
    '1 project, oldest answer 3m ago',
  )
})

test('all clear is shown only if everything was read completely', () => {
  expect(clearState([whole], AT, NOW).why).toMatch(/^All clear at/)
  expect(clearState([whole, cut], AT, NOW)).toMatchObject({
    why: expect.stringContaining('not everything was read'),
    next: 'Read only in part: swarm findings in Desk.',
  })
  expect(clearState([whole, sourceOf('scenarios', undefined, PROJECT)], AT, NOW).next).toBe(
    'Missing: scenarios in Desk.',
  )
})

test('all is not clear while an answer is known to be outdated', () => {
  const outdated = { ...sourceOf('runs', answered({ items: [] }), PROJECT), isOutdated: true }
  const { why, next } = clearState([whole, outdated], AT, NOW)
  expect(why).toContain('not everything was read')
  expect(next).toBe('Missing: runs in Desk.')
})

test('hidden lines are mentioned, also if not everything was read', () => {
  const hidden = '1 acknowledged'
  expect(clearState([whole], { ...AT, hidden }, NOW).why).toBe('Nothing else at this moment: 1 acknowledged is hidden.')
  expect(clearState([whole, cut], { ...AT, hidden }, NOW).why).toMatch(
    /^1 acknowledged is hidden\. Nothing else found up to .+, but not everything was read\.$/,
  )
})

test('all clear names the time of its oldest answer, and answers of long ago never make it clear', () => {
  const at = Date.UTC(2026, 10, 21, 12)
  const read = (ago: number) => sourceOf('suites', { ...answered({ items: [] }), at: at - ago }, PROJECT)
  expect(clearState([read(0), read(600_000)], AT, at).why).toBe(`All clear at ${localClock(at - 600_000)}.`)
  expect(clearState([read(0), read(2 * 3_600_000)], AT, at).why).toMatch(/^Nothing found at .+, which is long ago/)
})

test('while nobody is there, the text for repeated reads stays the same, and never understates their age', () => {
  const words = (minutes: number) => {
    const read = sourceOf('runs', { ...answered({ items: [] }), at: NOW - minutes * 60_000 }, PROJECT)
    const { symbols } = createTheme({ level: 0, ascii: false })
    return [
      coverageLabel([read], '1 project', NOW, true).text,
      clearState([read], { ...AT, isAway: true }, NOW).why,
      ...sourceLines([read], { symbols, now: NOW, isLocal: true, isAway: true }),
    ]
  }
  expect(words(0)).toEqual(words(9))
  expect(words(0)).toContain('All clear less than 10m ago.')
  expect(words(10)[0]).toContain('less than 1h ago')
})

test('pending sources share one row, and failed sources take only a few rows', () => {
  const kinds = ['suites', 'waves', 'scenarios'] as const
  const reading = kinds.map(kind => sourceOf(kind, undefined, PROJECT))
  expect(coverageLabel([whole, ...reading], '2 projects', NOW).text).toBe(
    '2 projects, read just now, reading suites 1/2, 2 kinds more',
  )
  const many = Array.from({ length: 237 }, () => ({ ...cut, state: 'error' as const }))
  const { symbols } = createTheme({ level: 0, ascii: false })
  const lines = sourceLines(many, { symbols, now: NOW, isLocal: true })
  expect(lines.length).toBeLessThan(12)
  expect(lines).toContainEqual({ text: '… and 232 more like these' })
})

test('sources of an earlier session and pending ones count as not read', () => {
  expect(isReadSince([whole], NOW)).toBe(true)
  expect(isReadSince([whole, sourceOf('suites', answered({ items: [] }), PROJECT)], NOW + 1)).toBe(false)
  expect(isReadSince([whole, sourceOf('waves', undefined, PROJECT)], NOW)).toBe(false)
  expect(isReadSince([whole, { ...cut, state: 'error' }], NOW)).toBe(true)
})
