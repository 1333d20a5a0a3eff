import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openApp, openService } from '../../../test/harness.tsx'
import { serversKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
const keys = serversKeys.bindings

test('a server is compared with a snapshot from a file, and an invalid file is reported', async () => {
  const service = await openService()
  onTestFinished(() => service.close())
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'before.json')
  const projectId = (await service.client.projects.list()).items[0]!.id
  const body = {
    name: 'small',
    enabled: true,
    transportType: 'stdio' as const,
    command: process.execPath,
    args: [small],
  }
  const { id: serverId } = await service.client.servers.create({ projectId, body })
  const app = await openApp({ testService: service, place: serversRoute.to({ projectId, serverId }) })
  onTestFinished(() => app.close())
  await app.see('a program over stdio')
  const compare = async (document: object) => {
    writeFileSync(file, JSON.stringify(document))
    await app.press(keys.compare)
    await app.see('Compare small with a snapshot')
    await app.type(file)
    await app.press('enter')
  }
  await compare({ tools: 5 })
  await app.see(/is[\s│]+not[\s│]+a[\s│]+snapshot/)
  const tools = ['pid', 'environment', 'fail'].map(name => ({
    name,
    inputSchema: { type: 'object' },
    'x-extra': { kept: true },
  }))
  await compare({ tools })
  await app.see('The server offers what is in the file.')
  await app.type('q')
  await compare({ tools: [...tools.slice(1), { name: 'evil\u001b]0;x\u0007' }] })
  const shown = await app.see('Breaks callers')
  expect(shown).toContain('tool evil␛]0;x␇: is gone')
  expect(shown).toMatch(/Breaks nobody\s.*\s*.*tool pid: is new/)
})
