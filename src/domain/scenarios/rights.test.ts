import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROJECT_PERMISSIONS, type ProjectCapabilities } from '../../api/contract/projects.ts'
import { gateOf } from '../findings/gate.ts'
import { gateClosed, obstacle } from './rights.ts'

const capabilities = (can: object, more: object = {}): ProjectCapabilities =>
  ({ projectId: 'prj_1', can, ...more }) as ProjectCapabilities

test('only a refused read or an enforced flag closes the gate', () => {
  expect(gateClosed(undefined)).toBeUndefined()
  expect(gateClosed(capabilities({}))).toBeUndefined()
  expect(gateClosed(capabilities({}, { features: { sandboxes: { mode: 'off' } } }))).toBeUndefined()
  expect(gateClosed(capabilities({}, { features: { sandboxes: { enabled: false } } }))).toBeUndefined()
  const enforced = { features: { sandboxes: { enabled: false, mode: 'enforce', enforced: true } } }
  expect(gateClosed(capabilities({}, enforced))).toContain('switched off')
  expect(gateClosed(capabilities({ readUserTesting: true }, enforced))).toBeUndefined()
  expect(gateClosed(capabilities({ readUserTesting: false }, { projectRole: 'member' }))).toContain('switched off')
  expect(gateClosed(capabilities({ readUserTesting: false }, { projectRole: 'guest' }))).toBeUndefined()
  expect(gateClosed(capabilities({ readUserTesting: false }, { ...enforced, role: 'guest' }))).toContain('switched off')
})

test('if every permission is granted, no flag, mode or role closes anything', () => {
  const all = Object.fromEntries(PROJECT_PERMISSIONS.map(name => [name, true]))
  const anyText = fc.option(fc.constantFrom('off', 'dark', 'enforce', 'later'))
  const anyFlag = fc.record({ enabled: fc.option(fc.boolean()), enforced: fc.option(fc.boolean()), mode: anyText })
  const anyRole = fc.option(fc.constantFrom('guest', 'member', 'admin'))
  fc.assert(
    fc.property(fc.option(anyFlag), anyRole, anyRole, (sandboxes, role, projectRole) => {
      const granted = capabilities(all, { features: { sandboxes }, role, projectRole })
      expect(gateClosed(granted)).toBeUndefined()
      expect(gateOf(granted)).toMatchObject({ swarm: false, scenario: false })
      const actions = ['publish', 'unpublish', 'mode', 'invite', 'remove', 'rotate', 'rebind', 'limits'] as const
      expect(actions.map(action => obstacle(action, granted))).toEqual(actions.map(() => undefined))
    }),
  )
})

test('unpublishing stays available behind a closed gate, and a missing right names its role', () => {
  const closed = capabilities(
    { publishUserTestingScenario: false, unpublishUserTestingScenario: true },
    { projectRole: 'admin' },
  )
  expect(obstacle('unpublish', closed)).toBeUndefined()
  expect(obstacle('publish', closed)).toContain('switched off')
  // This is not refused: anyone who may read may try it, and the service decides.
  expect(obstacle('rotate', closed)).toBeUndefined()
  const unread = capabilities({ ...closed.can, readUserTesting: false }, { projectRole: 'admin' })
  expect(obstacle('rotate', unread)).toContain('switched off')
  const member = capabilities({ changeUserTestingExposure: false }, { projectRole: 'member' })
  expect(obstacle('mode', member)).toBe('This needs the role editor in the project; yours is member.')
  // This is only advice: an action whose right is unknown may be tried.
  expect(obstacle('limits', member)).toBeUndefined()
  expect(obstacle('mode', undefined)).toBeUndefined()
})
