import { expect, test } from 'vitest'
import { clearState, coverageLabel, sourceOf } from './sources.ts'

const NOW = Date.now()
const PROJECT = { id: 'p1', name: 'Desk' }

const AT = { projects: '1 project', isLocal: true }
const answered = (data: object) => ({ data, error: null, at: NOW })
const whole = sourceOf('suites', answered({ items: [], nextCursor: null }), PROJECT)
const cut = sourceOf('swarm', answered({ items: [], nextCursor: 'more' }), PROJECT)

test('what was read only in part is said before anything else', () => {
  expect(coverageLabel([whole], '1 project', NOW)).toEqual({ tone: 'muted', text: '1 project, oldest answer just now' })
  expect(coverageLabel([whole, cut, cut], '1 project', NOW)).toEqual({
    tone: 'warn',
    text: 'Not all of: swarm findings in Desk and 1 more; 1 project, oldest answer just now',
  })
})

test('all clear is said only where everything was read to its end', () => {
  expect(clearState([whole], AT, NOW).why).toMatch(/^All clear at/)
  expect(clearState([whole, cut], AT, NOW)).toMatchObject({
    why: expect.stringContaining('not everything has been read'),
    next: 'Read only in part: swarm findings in Desk.',
  })
  expect(clearState([whole, sourceOf('scenarios', undefined, PROJECT)], AT, NOW).next).toBe(
    'Missing: scenarios in Desk.',
  )
})
