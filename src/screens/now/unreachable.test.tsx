import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchStage, slowCase } from '../../../test/launch-stage.ts'
import { openApp, openService } from '../../../test/harness.tsx'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { openJournal } from '../../api/client/journal/journal.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { appKeys } from '../../app/shell/app-keys.ts'
import { nowKeys } from './bindings.ts'
import { nowRoute } from './route.ts'

test('with nothing read, a write in doubt and the lost connection are listed, and no id is made up', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-now-'))
  const journal = openJournal({ file: join(directory, 'journal.sqlite'), profile: 'p' })
  const testService = await openService({ wrap: () => () => Promise.reject(new TypeError('fetch failed')) })
  onTestFinished(async () => {
    await journal.close()
    await testService.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const budget = createBudget({ unlimited: true })
  const { fetch, service } = testService
  const baseUrl = `http://local.invalid${API_PREFIX}`
  const client = createClient({ fetch, baseUrl, key: service.localKey, budget, journal })
  await expect(client.projects.create({ body: { name: 'Lost' } })).rejects.toThrow('fetch failed')
  const app = await openApp({
    testService: { ...testService, client },
    place: nowRoute.to(),
    access: { journal },
    hosted: { openBrowser: async () => undefined },
    size: { width: 160, height: 40 },
  })
  onTestFinished(() => app.close())
  await app.see('[1 Now 2]')
  await app.see(/▌act +✗ no answer +mcp\.example does not answer; nothing was read yet/)
  expect(app.frame()).toMatch(/act +✗ in doubt +Create project/)
  expect(app.frame()).toMatch(/! Not read: projects \(.+\); no project yet/)
  expect(app.frame()).not.toMatch(/Id +line/)
  await app.press(appKeys.bindings.copyId)
  expect(app.copied).toEqual([])
})

test('a run in flight is stopped by its name', async () => {
  const testService = await openService()
  onTestFinished(() => testService.close())
  const { client } = testService
  const { suite, projectId } = await launchStage(client)
  await client.runs.create({ projectId, body: { suiteId: await suite('Slow', { tests: [slowCase('long', 60)] }) } })
  const app = await openApp({ testService, place: nowRoute.to() })
  onTestFinished(() => app.close())
  await app.see(/▌know +[●○] run (pending|running) +Slow #1/)
  await app.press(nowKeys.bindings.stop)
  await app.see('Cancel Slow #1?')
  await app.press('down', 'enter')
  await app.see('Slow #1 is cancelled.')
})
