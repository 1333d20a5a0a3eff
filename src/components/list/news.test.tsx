import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { systemClock } from '../../lib/clock.ts'
import { createSeen } from '../../domain/seen/seen.ts'
import { appKeys } from '../everywhere-keys.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { listKeys, newsKeys, onlyNewsKeys } from './list-keys.ts'

const { only, seen: markSeen, allSeen } = newsKeys.bindings
const { refresh } = appKeys.bindings

let testService: TestService
let projectId: string
let app: TestApp
const newSeen = () => createSeen({ clock: systemClock })
let seen = newSeen()

beforeEach(async () => {
  seen = newSeen()
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterEach(async () => {
  await app.close()
  seen.endLook()
  await testService.close()
})

async function save(name: string): Promise<string> {
  const body = { name, enabled: true, transportType: 'http' as const, url: `https://${name}.example/mcp` }
  return (await testService.client.servers.create({ projectId, body })).id
}

async function open(): Promise<void> {
  app = await openApp({ testService, seen, place: serversRoute.to({ projectId }) })
  await app.see(/everything +stdio/)
}

test('nothing counts as new until the first visit to a list has ended', async () => {
  await open()
  await save('amber')
  await app.press(refresh)
  await app.see(/amber +http/)
  await app.press(only)
  await app.see('This is your first visit to this list, so nothing in it counts as new.')
})

test('a key shows only new or changed rows; a row marked as seen appears again when it changes', async () => {
  const birch = await save('birch')
  await open()
  await app.see(/birch +http/)
  seen.endLook()
  await app.press(only)
  await app.see('Nothing new or changed here since your last visit (just now).')
  await save('amber')
  await testService.client.servers.update({ projectId, serverId: birch, body: { enabled: false } })
  await app.press(refresh)
  await app.see('2 new ─')
  await app.press(only)
  const only2 = await app.see('of 2/3')
  expect(only2).not.toMatch(/everything +stdio/)
  expect(only2).toMatch(/amber +http .*\+│/)
  expect(only2).toMatch(/▌birch +http +⊘ off +~│/)
  await app.press(listKeys.bindings.filter)
  await app.type('birch')
  await app.press('enter', markSeen, 'escape')
  await app.see('1 new ─')
  expect(app.frame()).not.toMatch(/birch +http/)
  await app.press(allSeen)
  await app.see('Nothing new or changed since')
  await app.press(onlyNewsKeys.bindings.leave)
  await app.see(/everything +stdio/)
  await app.press(markSeen)
  await app.see('Nothing new or changed here since your last visit')
  await testService.client.servers.update({ projectId, serverId: birch, body: { enabled: true } })
  await app.press(refresh)
  await app.see('1 new ─')
})

test('only a row that is new or changed can be marked as seen', async () => {
  await open()
  seen.endLook()
  await save('amber')
  await app.press(refresh)
  await app.see('1 new ─')
  await app.press(listKeys.bindings.filter)
  await app.type('everything')
  await app.press('enter', markSeen)
  await app.see('That row is not new.')
  expect(app.frame()).toContain('1 new ·')
})

test('only lists whose news are stored offer these keys', async () => {
  app = await openApp({ testService, place: serversRoute.to({ projectId }) })
  await app.see(/everything +stdio/)
  await app.press(appKeys.bindings.palette)
  await app.type('looked')
  await app.see('Nothing fits.')
})
