import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { OLDER, putOlderWorkspace } from '../service/older-workspace.ts'
import { openHome } from './program.ts'

test('a command says once that it upgraded the workspace, and how to go back from a newer one', async () => {
  const home = await openHome()
  onTestFinished(() => home.close())
  const dataDir = join(home.home, '.local/share/mcpdeck')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = putOlderWorkspace(dataDir)
  const get = () => home.run(['get', 'suites'])
  const first = await get()
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Smoke') })
  expect(first.stderr).toContain(`in ${join(dataDir, `mcpdeck.schema-${OLDER}.sqlite`)}.`)
  expect(await get()).toEqual({ ...first, stderr: '' })
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  const refused = await get()
  expect([refused.code, refused.stdout]).toEqual([3, ''])
  expect(refused.stderr).toContain(`rename mcpdeck.schema-${OLDER}.sqlite to mcpdeck.sqlite`)
})
