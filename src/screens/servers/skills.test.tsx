import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { temporaryDirectory } from '../../../test/service/harness.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { skillsKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const program = (name: string) => fileURLToPath(new URL(`../../../test/servers/${name}`, import.meta.url))

let testService: TestService
let app: TestApp
let log: string

beforeEach(async () => {
  testService = await openService()
  log = join(temporaryDirectory(), 'requests')
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

const isRead = () => existsSync(log) && readFileSync(log, 'utf8').includes('resources/read')

async function open(args: string[]): Promise<void> {
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const transport = { transportType: 'stdio' as const, command: process.execPath, args }
  const body = { name: 'skilled', enabled: true, ...transport }
  const { id: serverId } = await client.servers.create({ projectId, body })
  app = await openApp({ testService, place: serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'skills' }) })
}

test('the tab lists skills with their files without reading any, and one key reads the selected one', async () => {
  await open([program('skills-server.mjs'), log])
  const page = await app.see('Knows pdf.')
  expect(page).toContain('references/FORMS.md')
  expect(page).toContain('✗ outside')
  // Two skills have this name.
  expect(page).toMatch(/skill:\/\/a\/twin.*\n.*skill:\/\/b\/twin/)
  expect(isRead()).toBe(false)
  await app.press(skillsKeys.bindings.read)
  expect(await app.see('Use pdf.')).toContain('pdf on skilled')
  await app.press(textOverlayKeys.bindings.close)
})

test('a skill that fails its check is shown as refused, with the reason and without its text', async () => {
  await open([program('skills-server.mjs'), log])
  await app.see('Knows pdf.')
  await app.press(listKeys.bindings.down)
  await app.see('Knows digest.')
  await app.press(skillsKeys.bindings.read)
  const page = await app.see('Refused')
  expect(page).toMatch(/✗ digest +1 +Knows/)
  expect(page).not.toContain('Use Digest')
})

test('a server without the extension does not offer skills', async () => {
  await open([program('stdio-server.mjs'), 'healthy'])
  await app.see('This server does not offer skills.')
})
