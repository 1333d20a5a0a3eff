import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchStage, quickCase, slowCase } from '../../../test/launch-stage.ts'
import { openApp, openService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { openJournal } from '../../api/client/journal/journal.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { nowKeys } from './bindings.ts'
import { nowRoute } from './route.ts'

test('if nothing was read, a write in doubt and the lost connection are listed, without invented ids', async () => {
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
  await app.see(/▌high +✗ no answer +mcp\.example does not answer; nothing was read yet/)
  expect(app.frame()).toMatch(/high +✗ in doubt +Create project/)
  expect(app.frame()).toMatch(/! Not read: projects \(.+\); no project yet/)
  expect(app.frame()).not.toMatch(/Id +line/)
  await app.press(appKeys.bindings.copyId)
  expect(app.copied).toEqual([])
})

test('a service lost after its projects were read has a line until it answers again', async () => {
  let isLost = true
  const testService = await openService({
    wrap: fetch => request => {
      const fails = isLost && !new URL(request.url).pathname.endsWith('/projects')
      return fails ? Promise.reject(new TypeError('fetch failed')) : fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  const app = await openApp({ testService, place: nowRoute.to(), size: { width: 160, height: 40 } })
  onTestFinished(() => app.close())
  await app.see(/▌high +✗ no answer +The local workspace does not answer; what is here was r/)
  isLost = false
  await app.see('All clear')
})

test('a run in flight is stopped by name', async () => {
  const testService = await openService()
  onTestFinished(() => testService.close())
  const { client } = testService
  const { suite, projectId } = await launchStage(client)
  await client.runs.create({ projectId, body: { suiteId: await suite('Slow', { tests: [slowCase('long', 60)] }) } })
  const app = await openApp({ testService, place: nowRoute.to() })
  onTestFinished(() => app.close())
  await app.see(/▌low +[●○] run (pending|running) +Slow #1/)
  await app.press(nowKeys.bindings.stop)
  await app.see('Cancel Slow #1?')
  await app.press('down', 'enter')
  await app.see('Slow #1 is cancelled.')
})

test('suites that fail by one unreachable server are one line, acknowledged until one more suite fails', async () => {
  const testService = await openService()
  onTestFinished(() => testService.close())
  const { client } = testService
  const { suite, deadServer, projectId } = await launchStage(client)
  const servers = [await deadServer()]
  const fail = async (name: string): Promise<void> => {
    const { steps } = quickCase(name)
    const tests = [{ title: name, steps: steps.map(step => ({ ...step, serverName: 'dead' })) }]
    const { runId } = await client.runs.create({ projectId, body: { suiteId: await suite(name, { servers, tests }) } })
    await until(
      () => client.runs.get({ projectId, runId }),
      ({ status }) => isTerminalRunStatus(status),
    )
  }
  await fail('Search')
  await fail('Checkout')
  const app = await openApp({ testService, place: nowRoute.to(), size: { width: 120, height: 40 } })
  onTestFinished(() => app.close())
  await app.see(/▌high +✗ 2 suites +Not set up: The server "dead"/)
  expect(app.frame()).toMatch(/high +✗ run broken + {2}(Search|Checkout) #1/)
  await app.see('[1 Now 1]')
  await app.press(nowKeys.bindings.acknowledge)
  await app.see('2 acknowledged is hidden')
  await fail('Orders')
  await app.press(appKeys.bindings.refresh)
  await app.see(/✗ 3 suites +Not set up/)
  expect(app.frame()).toMatch(/high +✗ run broken + {2}Orders #1/)
  expect(app.frame()).not.toMatch(/high +✗ run broken +Search/)
  await app.press(nowKeys.bindings.faults, nowKeys.bindings.faults)
  await app.see('new or regressed')
  expect(app.frame()).toContain('Orders #1')
  await app.press(nowKeys.bindings.faults)
  await app.see(/Now [12] of 2/)
})
