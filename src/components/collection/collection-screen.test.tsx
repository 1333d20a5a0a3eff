import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../../test/harness.tsx'
import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { screens } from '../../app/registry.ts'
import { defineRoute } from '../../tui/router/place.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { appKeys } from '../everywhere-keys.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { fieldKeys, tabsKeys } from '../component-keys.ts'
import { filterKeys, listKeys } from '../list/list-keys.ts'
import { collectionScreen, plainRows } from './collection-screen.tsx'
import { fieldsTab } from './tabbed-pane.tsx'

const define = bindingsOf('gadgets')

const gadgetsKeys = define.panel('gadgets', 'Gadgets', {
  open: { keys: ['enter'], label: 'open' },
  back: { keys: ['escape'], label: 'back' },
  polish: { keys: ['g'], label: 'polish' },
})

const GadgetsScreen = collectionScreen({
  noun: 'gadget',
  title: 'Gadgets',
  what: 'the gadgets',
  list: contract.servers.list,
  param: 'gadgetId',
  says: ({ name }) => name,
  rows: plainRows<ProjectServer>(() => [
    { id: 'name', title: 'Name', width: 'flex', cell: ({ name }) => name, sort: ({ name }) => name },
  ]),
  tabs: [
    fieldsTab('Record', ({ id }: ProjectServer) => [['Its id', id]]),
    fieldsTab('More', ({ name }: ProjectServer) => [['Called', name]]),
  ],
  keys: gadgetsKeys,
  useActions({ on }) {
    const notify = useNotify()
    return { polish: on(({ name }) => notify('ok', `Polished ${name}.`)) }
  },
  empty: key => ({ why: 'There is no gadget here.', next: `Nothing to do with ${key('polish')}.` }),
})

const gadgetsRoute = defineRoute('gadgets', 'projects/{projectId}/gadgets[/{gadgetId}]')
const gadgetsScreen = defineScreen({
  route: gadgetsRoute,
  title: 'Gadgets',
  about: 'Gadgets that can be polished.',
  order: 9,
  goKey: 'g',
  bindings: [gadgetsKeys],
  load: async () => GadgetsScreen,
})

let app: TestApp
let ids: Record<'everything' | 'Another', string>

beforeEach(async () => {
  app = await openApp({
    screens: [...screens, gadgetsScreen],
    place: async client => {
      const [project] = (await client.projects.list()).items
      const projectId = project!.id
      const body = { name: 'Another', enabled: true, transportType: 'http', url: 'http://127.0.0.1:9/mcp' } as const
      await client.servers.create({ projectId, body })
      const { items } = await client.servers.list({ projectId })
      ids = Object.fromEntries(items.map(({ id, name }) => [name, id])) as typeof ids
      return gadgetsRoute.to()
    },
  })
  await app.see('Gadgets 1 of 2')
})
afterEach(() => app.close())

/** Selects the row with this name. */
async function choose(name: keyof typeof ids): Promise<void> {
  await app.press(listKeys.bindings.filter)
  await app.type(name)
  await app.press(fieldKeys.bindings.submit)
  await app.see(new RegExp(`▌${name}`))
  await app.see(ids[name])
  await app.press(filterKeys.bindings.clear)
}

test('without asking, the only project opens; the selected row sets place, crumbs and the copied id', async () => {
  await choose('Another')
  await app.see('Sandbox › Gadgets › Another')
  expect(app.router.here().params['gadgetId']).toBe(ids.Another)
  await app.press(appKeys.bindings.copyId)
  expect(app.copied).toEqual([ids.Another])
  await app.press(appKeys.bindings.raw)
  await app.see(`gadget ${ids.Another}`)
})

test('the selected row opens beside the list, and going back returns to the list', async () => {
  await choose('Another')
  await app.press(gadgetsKeys.bindings.open)
  await app.see(/▌Another ─/)
  expect(app.router.current().params).toMatchObject({ pane: 'detail', gadgetId: ids.Another })
  await app.press(gadgetsKeys.bindings.open)
  await app.see('The gadget is open; its tabs hold the rest.')
  await app.press(gadgetsKeys.bindings.back)
  await app.see('▌Gadgets')
  const top = app.router.current()
  await app.press(gadgetsKeys.bindings.back)
  expect(app.router.current()).toEqual(top)
})

test('the place contains the open tab of a record, and a place that names another row shows that row', async () => {
  await app.see('Its id')
  await app.press(tabsKeys.bindings.next)
  await app.see('Called')
  expect(app.router.current().params['tab']).toBe('more')
  app.router.go(gadgetsRoute.to({ ...app.router.current().params, gadgetId: ids['everything'] }))
  await app.see(/Called +everything/)
})

test('an action receives the selected item, or says that there is none', async () => {
  await choose('everything')
  await app.press(gadgetsKeys.bindings.polish)
  await app.see('Polished everything.')
  const projectId = app.router.current().params['projectId']!
  for (const serverId of Object.values(ids)) await app.client.servers.delete({ projectId, serverId })
  await app.press(appKeys.bindings.refresh)
  await app.see('There is no gadget here.')
  expect(app.frame()).toContain('Nothing to do with g.')
  await app.press(gadgetsKeys.bindings.polish)
  await app.see('There is no gadget.')
})

test('a list whose filter hides all rows is not called empty', async () => {
  await app.press(listKeys.bindings.filter)
  await app.type('nothing of that name')
  await app.press(fieldKeys.bindings.submit)
  await app.see('Nothing matches')
  await app.press(gadgetsKeys.bindings.polish)
  await app.see('The filter hides every gadget.')
})
