import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { restKeys, tabsKeys } from '../../components/component-keys.ts'
import { pluginsKeys } from './index.ts'
import { pluginsRoute } from './route.ts'

let app: TestApp
afterEach(() => app.close())

const plugin = (name: string, more: object = {}) => ({
  id: `plg_${name}`,
  projectId: 'p',
  name,
  enabled: true,
  createdAt: 0,
  updatedAt: 0,
  ...more,
})

describe('the plugins', () => {
  test('are opened by their letter, and the local workspace says why it has none', async () => {
    app = await openApp({ place: pluginsRoute.to() })
    await app.press('1', ',', 'u')
    await app.see('The local workspace installs no')
  })

  test('of a service show their state and the contents of the version in use', async () => {
    const version = {
      id: 'plv_1',
      pluginId: 'plg_search',
      declaredVersion: '2.1.0',
      bundleHash: 'sha256:aa',
      status: 'invalid',
      componentCounts: { skills: 1, servers: 1, apps: null },
      servers: [
        { componentId: 'c1', declaredName: 'finder', placement: 'remote', authenticationPolicy: 'on_first_use' },
      ],
      skills: [{ componentId: 'c2', declaredName: 'look', modelRef: 'search/look' }],
      createdAt: 0,
    }
    const items = [plugin('search', { activeVersionId: 'plv_1', enabled: false }), plugin('fresh')]
    const wrap = answering({ '/plugins': { items }, '/plugin-versions/plv_1': version })
    const testService = await openService({ wrap })
    onTestFinished(() => testService.close())
    app = await openApp({ testService, hosted: { openBrowser: async () => undefined }, place: pluginsRoute.to() })
    await app.see(/▌search +off/)
    expect(app.frame()).toMatch(/fresh +never activated/)
    await app.press(pluginsKeys.bindings.open, restKeys.bindings.show)
    await app.see(/Other versions +not offered by this service’s API/)
    await app.press(tabsKeys.bindings.next)
    await app.see(/State +invalid: only a ready version runs/)
    expect(app.frame()).toMatch(/Holds +1 skills, 1 servers +│/)
    expect(app.frame()).toContain('finder, remote, on first use')
    expect(app.frame()).toContain('look, search/look')
    await app.press(pluginsKeys.bindings.back, 'down')
    await app.see('It was never activated, so no version is in use.')
  })
})
