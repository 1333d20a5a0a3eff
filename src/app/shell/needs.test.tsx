import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { serversKeys } from '../../screens/servers/bindings.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { allBindings } from './all-bindings.ts'
import { appKeys } from './app-keys.ts'

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
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      })
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
  test('what needs it says why it waits, everywhere, and works again by itself', async () => {
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

  test('browsing, filtering and copying go on', async () => {
    app = await openApp({ testService, hosted, place: serversRoute.to({ projectId }) })
    await app.see(/everything +stdio/)
    await drop()
    await app.press('/')
    await app.type('every')
    await app.press('enter', appKeys.bindings.copyId)
    await app.see('Copied the id of the server')
    await app.press(serversKeys.bindings.open)
    await app.see('a program over stdio')
    await app.see(/! Read (?:just now|\d+s ago)/)
  })
})

test('a read-only session refuses every write at once, with the reason, and reads go on', async () => {
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

test('what calls the service by name says that it needs it', () => {
  const needy = allBindings.flatMap(group =>
    Object.entries(group.bindings).flatMap(([id, { needs }]) =>
      needs ? [`${group.name}.${id} ${needs}`] : [],
    ),
  )
  expect(needy).toEqual(
    expect.arrayContaining([
      'runs.launch write',
      'runs.cancel write',
      'tools.call write',
      'servers.doctor service',
    ]),
  )
})
