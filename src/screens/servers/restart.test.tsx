import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { confirmKeys, fieldKeys } from '../../components/component-keys.ts'
import { createServerNews } from '../../domain/servers/news.ts'
import { createServerWatches, type ServerWatches } from '../../domain/watching/server-watches.ts'
import { serversKeys } from './bindings.ts'
import { processAge } from './process-age.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))

let directory: string
let built: string
let testService: TestService
let serverWatches: ServerWatches
let ids: { projectId: string; serverId: string }
let app: TestApp

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'restart-'))
  built = join(directory, 'built.txt')
  writeFileSync(built, 'before')
  const serverNews = createServerNews()
  serverWatches = createServerWatches()
  testService = await openService({ onServerNews: serverNews.note })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const command = { command: process.execPath, args: [small, 'named', built] }
  const body = { name: 'edited', enabled: true, transportType: 'stdio' as const, ...command }
  ids = { projectId, serverId: (await client.servers.create({ projectId, body })).id }
  const place = serversRoute.to({ ...ids, pane: 'detail', tab: 'tools' })
  app = await openApp({ testService, place, access: { serverNews, serverWatches }, size: { width: 140, height: 40 } })
})
afterEach(async () => {
  await app.close()
  serverWatches.close()
  await testService.close()
  rmSync(directory, { recursive: true, force: true })
})

const { restart, end, doctor, watch } = serversKeys.bindings
const tab = (tab: string) => app.router.replace({ tab })

test('one key restarts a server, and its tools and the doctor use the new process', async () => {
  await app.see(/2 listed, started \d+s ago, 1st start/)
  await app.press(doctor)
  await app.see(/Its process: started .*, 1st start/)
  await app.see('before')
  writeFileSync(built, 'after')
  await app.press(restart)
  await app.see('Restarted edited: its 2nd start.')
  await app.see(/Its process: started \d+s ago, 2nd start/)
  await app.see('after')
  expect(app.frame()).not.toContain('before')
  tab('tools')
  await app.see(/2 listed, started .*, 2nd start/)
  await app.see('after')
  expect(app.frame()).not.toContain('before')
  tab('overview')
  await app.see(/Process +started .*, 2nd start/)
  await app.see('Built as after.')
  await app.see('Ask first. ')
  expect(app.frame()).not.toContain('\u001b[2J')
})

test('a restart that fails shows the error and removes the old tools', async () => {
  await app.see('before')
  rmSync(built)
  await app.press(restart)
  await app.see('ENOENT')
  await app.see(frame => !frame.includes('before'))
})

test('the lists of a process that restarted by itself are read again', async () => {
  await app.see('before')
  writeFileSync(built, 'after')
  await testService.client.liveServers.restart({ ...ids, body: {} })
  await app.see('after')
  expect(app.frame()).not.toContain('before')
})

test('a server restarts when its files change, until the key turns that off', async () => {
  await app.see('before')
  await app.press(watch)
  await app.see('Restart edited when files change')
  await app.press(fieldKeys.bindings.clear)
  await app.type(built)
  await app.press(fieldKeys.bindings.submit)
  await app.see('edited restarts whenever')
  writeFileSync(built, 'after')
  await app.see('Restarted edited: its 2nd start.')
  await app.see('after')
  tab('overview')
  await app.see(/Restarts on +changes of .*built.txt/)
  await app.press(watch)
  await app.see(frame => !frame.includes('Restarts on'))
  expect(serverWatches.patternOf(ids.serverId)).toBeUndefined()
})

test('if a process ends by itself after calls, its lost state is reported; a key ends a process', async () => {
  // A read that is in progress when the process ends would fail with it.
  await app.see(/2 listed, .* 1st start/)
  const { content } = await testService.client.servers.callTool({ ...ids, body: { toolName: 'pid' } })
  process.kill((JSON.parse(String(content?.[0]?.['text'])) as { pid: number }).pid, 'SIGKILL')
  await app.see('the 1st start ended after 1 call, its state is gone')
  await testService.client.servers.callTool({ ...ids, body: { toolName: 'pid' } })
  await app.see(/2nd start; the 1st start ended after 1 call/)
  await app.press(end)
  await app.see('End the process of "edited"?')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Ended the process of edited.')
  await app.see(frame => !frame.includes('its state is gone'))
})

test.each([
  [12_000, 3, true, 'started 12s ago, 3rd start'],
  [61_000, 11, true, 'started 1m ago, 11th start'],
  [0, 2, false, 'connected 0s ago, 2nd connection'],
])('a process is described %i ms after its start number %i', (age, starts, ofProgram, words) => {
  expect(processAge({ startedAt: 1_000, starts }, ofProgram, 1_000 + age)).toBe(words)
})
