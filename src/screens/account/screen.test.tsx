import { afterEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { appKeys } from '../../components/everywhere-keys.ts'
import { restKeys, tabsKeys, viewerKeys } from '../../components/component-keys.ts'
import { MOST_EACH } from '../../hooks/use-each.ts'
import { accountRoute } from './route.ts'

let app: TestApp
afterEach(() => app.close())

async function open(tab?: string): Promise<void> {
  app = await openApp({ place: accountRoute.to({ tab }) })
}

describe('the account', () => {
  test('is opened by its letter, with organization, role, key and vocabulary', async () => {
    await open()
    await app.press('1', ',', 'a')
    await app.see(/Role +owner/)
    expect(app.frame()).toMatch(/Key +not needed here/)
    await app.see('Ids and other fields')
    await app.press(restKeys.bindings.show)
    await app.press(viewerKeys.bindings.last)
    await app.see(/Eval vocabulary +1 and 2/)
    const me = await app.client.account.me()
    await app.see(me.id)
    await app.press(appKeys.bindings.copyId)
    expect(app.copied).toEqual([me.id])
  })

  test('shows the first of a thousand organizations, and the number of others', async () => {
    const items = Array.from({ length: 1_000 }, (_, at) => ({ id: `org_${at}`, name: `Organization ${at}` }))
    const testService = await openService({
      wrap: fetch => async request =>
        request.url.endsWith('/organizations') ? Response.json({ items }) : await fetch(request),
    })
    app = await openApp({ testService, place: accountRoute.to(), size: { width: 120, height: 30 } })
    await app.see('Organization 0')
    await app.press(viewerKeys.bindings.last)
    await app.see(`${1_000 - MOST_EACH} further organizations.`)
    expect(app.frame()).toContain(`Organization ${MOST_EACH - 1}`)
    await app.close()
    await testService.close()
  })

  test('says where the key comes from', async () => {
    const testService = await openService()
    app = await openApp({
      testService,
      place: accountRoute.to(),
      hosted: { openBrowser: async () => undefined, keySource: 'variable MCPDECK_API_KEY' },
    })
    await app.see(/Service +mcp\.example/)
    await app.see(/Key +variable MCPDECK_API_KEY/)
    await app.close()
    await testService.close()
  })

  test('shows what the key may do in the project, with the state of the gated features', async () => {
    await open('rights')
    await app.see('✓ launch eval run')
    expect(app.frame()).toMatch(/Role in the project +admin/)
    expect(app.frame()).toMatch(/Swarms and scenarios +on/)
  })

  test('shows the limits of the plan, and says which usage is not available', async () => {
    await open('limits')
    await app.see(/concurrent runs +2/)
    await app.see(/Daily quotas left +not offered by this service’s API/)
  })

  test('lists models and client catalog in tabs', async () => {
    await open('models')
    await app.see('No models are listed.')
    await app.see('No model is configured')
    await app.press(tabsKeys.bindings.next)
    await app.see('Claude Code')
    expect(app.frame()).toMatch(/Known from +assumed/)
  })

  test('asks for a project to show rights if the key can access several', async () => {
    app = await openApp({
      place: async client => {
        await client.projects.create({ body: { name: 'Another' } })
        return accountRoute.to({ tab: 'rights' })
      },
    })
    await app.see('No project is chosen. Rights and limits depend on the project.')
  })
})
