import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { allEndpoints, API_PREFIX } from '../../api/contract/contract.ts'
import type { ProjectRole } from '../../api/contract/endpoint.ts'
import { makeKey } from '../../service/core/access.ts'
import type { Place } from '../../tui/router/place.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { serversKeys } from '../../screens/servers/bindings.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { allBindings } from './all-bindings.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

let testService: TestService
let projectId: string
let app: TestApp
let isDown = false
let writes = 0

const hosted = { openBrowser: async () => undefined }
const WAITS = 'mcp.example does not answer; this works again as soon as it does.'

beforeEach(async () => {
  isDown = false
  writes = 0
  testService = await openService({
    wrap: fetch => async request => {
      if (request.method !== 'GET') writes += 1
      if (!isDown) return await fetch(request)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  writes = 0
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

async function drop(): Promise<void> {
  isDown = true
  await app.press(appKeys.bindings.refresh)
  await app.see('no answer since')
}

describe('while the service does not answer', () => {
  test('actions that need it say why they wait on every screen, and are enabled again when it answers', async () => {
    app = await openApp({ testService, hosted, place: serversRoute.to({ projectId }) })
    await app.see('▌everything')
    await app.press('4')
    await app.see('E launch')
    await drop()
    await app.press(runsKeys.bindings.launch)
    await app.see(WAITS)
    expect(app.frame()).not.toContain('E launch')
    await app.press(appKeys.bindings.actions)
    expect(await app.see('Runs: launch')).toMatch(/launch \(mcp\.example does not answer/)
    await app.press('escape', '3')
    await app.see('▌Servers')
    await app.press(serversKeys.bindings.doctor)
    await app.see(WAITS)
    expect(writes).toBe(0)
    isDown = false
    await app.see(frame => frame.includes('fresh') && /everything +stdio/.test(frame))
    await app.press(serversKeys.bindings.validate)
    await app.see('✓ connected')
  })

  test('browsing, filtering and copying continue', async () => {
    app = await openApp({ testService, hosted, place: serversRoute.to({ projectId }) })
    await app.see(/everything +stdio/)
    await drop()
    await app.press('/')
    await app.type('every')
    await app.press('enter', appKeys.bindings.copyId)
    await app.see('Copied the id of the server')
    await app.press(serversKeys.bindings.open)
    await app.see('a program over stdio')
    await app.see(/! Read (?:just now|\d+[sm] ago)/)
  })
})

test('a read-only session refuses every write at once, with the reason, and reads still work', async () => {
  app = await openApp({ testService, readOnly: true, place: runsRoute.to({ projectId }) })
  await app.see('Reference server smoke')
  for (const key of [runsKeys.bindings.launch, runsKeys.bindings.rerun, runsKeys.bindings.cancel]) {
    await app.press(key)
    await app.see('This session is read-only: it launches, calls and changes nothing.')
  }
  await app.press('3')
  await app.see(/everything +stdio/)
  await app.press(serversKeys.bindings.validate)
  await app.see('✓ connected')
})

describe('a role that is too low for an action', () => {
  async function openAs(role: ProjectRole, place: Place): Promise<void> {
    const { key } = makeKey(testService.service.store, role, { role })
    const budget = createBudget({ unlimited: true })
    const client = createClient({ fetch: testService.fetch, baseUrl: `http://local.invalid${API_PREFIX}`, key, budget })
    app = await openApp({ testService: { ...testService, client }, place })
  }

  test('disables the actions that need more, names the role, and leaves other actions enabled', async () => {
    await openAs('member', serversRoute.to({ projectId }))
    await app.see('▌everything')
    await app.see(frame => !frame.includes('add server'))
    for (const key of [serversKeys.bindings.add, serversKeys.bindings.remove]) {
      await app.press(key)
      await app.see('This needs the role editor in the project; yours is member.')
    }
    await app.press(appKeys.bindings.actions)
    await app.see(/Servers: .*\(This needs the role editor/)
    await app.press('escape', serversKeys.bindings.validate)
    await app.see('✓ connected')
    await app.press('4')
    await app.see('E launch')
  })

  test('leaves the action to the service if the role is unknown: a guest sees neither projects nor roles', async () => {
    await openAs('guest', serversRoute.to({ projectId }))
    await app.see('Not allowed')
    await app.press(serversKeys.bindings.add)
    await app.see('Address or command')
  })

  test('does not disable the actions that it allows', async () => {
    await openAs('editor', serversRoute.to({ projectId }))
    await app.see('▌everything')
    await app.press(serversKeys.bindings.add)
    await app.see('Address or command')
  })
})

test('every action that needs an operation names one of the contract that is more than a read', () => {
  const needs = allBindings.flatMap(group =>
    Object.entries(group.bindings).flatMap(([id, { needs: need }]) =>
      need?.includes('.') ? [{ binding: `${group.name}.${id}`, need }] : [],
    ),
  )
  const writes = new Set(
    allEndpoints()
      .filter(({ risk }) => risk !== 'read')
      .map(({ resource, name }) => `${resource}.${name}`),
  )
  expect(needs.filter(({ need }) => !writes.has(need))).toEqual([])
  expect(needs.length).toBeGreaterThan(30)
})

test('every action that calls the service declares that it needs it', () => {
  const needy = allBindings.flatMap(group =>
    Object.entries(group.bindings).flatMap(([id, { needs }]) => (needs ? [`${group.name}.${id} ${needs}`] : [])),
  )
  expect(needy).toEqual(
    expect.arrayContaining([
      'runs.launch runs.create',
      'runs.cancel runs.cancel',
      'tools.call servers.callTool',
      'servers.doctor service',
    ]),
  )
})
