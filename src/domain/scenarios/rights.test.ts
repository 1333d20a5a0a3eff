import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROJECT_PERMISSIONS, type ProjectCapabilities } from '../../api/contract/projects.ts'
import { gateOf } from '../findings/gate.ts'
import { GATE_CLOSED, isGateClosed, obstacle } from './rights.ts'

const capabilities = (can: object, more: object = {}): ProjectCapabilities =>
  ({ projectId: 'prj_1', can, ...more }) as ProjectCapabilities

test('only a refused read or an enforced flag closes the gate', () => {
  expect(isGateClosed(undefined)).toBe(false)
  expect(isGateClosed(capabilities({}))).toBe(false)
  expect(isGateClosed(capabilities({}, { features: { sandboxes: { mode: 'off' } } }))).toBe(false)
  expect(isGateClosed(capabilities({}, { features: { sandboxes: { enabled: false } } }))).toBe(false)
  const enforced = { features: { sandboxes: { enabled: false, mode: 'enforce', enforced: true } } }
  expect(isGateClosed(capabilities({}, enforced))).toBe(true)
  expect(isGateClosed(capabilities({ readUserTesting: true }, enforced))).toBe(false)
  expect(isGateClosed(capabilities({ readUserTesting: false }, { projectRole: 'member' }))).toBe(true)
  expect(isGateClosed(capabilities({ readUserTesting: false }, { projectRole: 'guest' }))).toBe(false)
  expect(isGateClosed(capabilities({ readUserTesting: false }, { ...enforced, role: 'guest' }))).toBe(true)
})

test('while every permission is granted, no flag, mode or role closes anything', () => {
  const all = Object.fromEntries(PROJECT_PERMISSIONS.map(name => [name, true]))
  const anyText = fc.option(fc.constantFrom('off', 'dark', 'enforce', 'later'))
  const anyFlag = fc.record({ enabled: fc.option(fc.boolean()), enforced: fc.option(fc.boolean()), mode: anyText })
  const anyRole = fc.option(fc.constantFrom('guest', 'member', 'admin'))
  fc.assert(
    fc.property(fc.option(anyFlag), anyRole, anyRole, (sandboxes, role, projectRole) => {
      const granted = capabilities(all, { features: { sandboxes }, role, projectRole })
      expect(isGateClosed(granted)).toBe(false)
      expect(gateOf(granted)).toMatchObject({ swarm: false, scenario: false })
      const actions = ['publish', 'unpublish', 'mode', 'invite', 'remove', 'rotate', 'rebind', 'limits'] as const
      expect(actions.map(action => obstacle(action, granted))).toEqual(actions.map(() => undefined))
    }),
  )
})

test('unpublishing stays on offer behind a closed gate, and a missing right names its role', () => {
  const closed = capabilities(
    { publishUserTestingScenario: false, unpublishUserTestingScenario: true },
    { projectRole: 'admin' },
  )
  expect(obstacle('unpublish', closed)).toBeUndefined()
  expect(obstacle('publish', closed)).toBe(GATE_CLOSED)
  // Not among the refused: whoever may read may try it, and the service decides.
  expect(obstacle('rotate', closed)).toBeUndefined()
  const unread = capabilities({ ...closed.can, readUserTesting: false }, { projectRole: 'admin' })
  expect(obstacle('rotate', unread)).toBe(GATE_CLOSED)
  const member = capabilities({ changeUserTestingExposure: false }, { projectRole: 'member' })
  expect(obstacle('mode', member)).toBe('This needs the role editor in the project; yours is member.')
  // Advice only: what is not told may be tried.
  expect(obstacle('limits', member)).toBeUndefined()
  expect(obstacle('mode', undefined)).toBeUndefined()
})
