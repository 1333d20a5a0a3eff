import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { slowAnswer } from '../../../test/pause.ts'
import { resolveSettings } from '../config/settings.ts'
import { createLog } from '../output/log.ts'
import { makeTemporaryDirectory, openTemporary } from './open-try.ts'

test('a save that runs at the end reaches the temporary workspace until it is done', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpdeck-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const settings = await resolveSettings({ local: true, dataDir: home }, {})
  const server = { reach: { transportType: 'stdio', command: 'none' }, name: 'tried', early: undefined } as never
  const { workspace, close } = openTemporary(settings, makeTemporaryDirectory(), server, createLog(undefined))
  await workspace.client.projects.list()
  const saved = workspace.unsaved!.atHome(async client => {
    await slowAnswer(100, undefined)
    const { items } = await workspace.client.projects.list()
    return await client.projects.create({ body: { name: `from ${items[0]!.name}` } })
  })
  const closed = close()
  expect(await saved).toMatchObject({ name: 'from try' })
  await closed
})
