import { expect, test } from 'vitest'
import type { ProjectCapabilities } from '../contract/projects.ts'
import { GATE_CLOSED, isGateClosed, obstacle } from './rights.ts'

const capabilities = (can: object, more: object = {}): ProjectCapabilities =>
  ({ projectId: 'prj_1', can, ...more }) as ProjectCapabilities

test('a gate is closed where the capabilities say so in any of their ways', () => {
  expect(isGateClosed(undefined)).toBe(false)
  expect(isGateClosed(capabilities({}))).toBe(false)
  expect(isGateClosed(capabilities({}, { features: { sandboxes: { mode: 'off' } } }))).toBe(true)
  expect(isGateClosed(capabilities({}, { features: { sandboxes: { enabled: false } } }))).toBe(true)
  const split = { publishUserTestingScenario: false, unpublishUserTestingScenario: true }
  expect(isGateClosed(capabilities(split))).toBe(true)
  expect(isGateClosed(capabilities({ readUserTesting: false }, { projectRole: 'member' }))).toBe(true)
  expect(isGateClosed(capabilities({ readUserTesting: false }, { projectRole: 'guest' }))).toBe(false)
})

test('unpublishing stays on offer behind a closed gate, and a missing right names its role', () => {
  const closed = capabilities(
    { publishUserTestingScenario: false, unpublishUserTestingScenario: true },
    { projectRole: 'admin' },
  )
  expect(obstacle('unpublish', closed)).toBeUndefined()
  expect(obstacle('rotate', closed)).toBe(GATE_CLOSED)
  const member = capabilities({ changeUserTestingExposure: false }, { projectRole: 'member' })
  expect(obstacle('mode', member)).toBe('This takes an editor or admin of the project; you are member.')
  // Advice only: what is not told may be tried.
  expect(obstacle('limits', member)).toBeUndefined()
  expect(obstacle('mode', undefined)).toBeUndefined()
})
