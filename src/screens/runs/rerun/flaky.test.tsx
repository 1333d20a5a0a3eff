import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDriftingSuite, runEnded } from '../../../../test/drifting-suite.ts'
import { openApp, openService } from '../../../../test/harness.tsx'
import { panesKeys } from '../../../components/component-keys.ts'
import { runsRoute } from '../route.ts'

test('a case that passed in a rerun is flaky in its run, once the trials of the rerun are known', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-flaky-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const asked: string[] = []
  const testService = await openService({
    wrap: fetch => async request => {
      asked.push(request.url)
      return await fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const { suiteId, drift } = await createDriftingSuite(client, projectId, folder)
  drift(true)
  const { runId } = await client.runs.create({ projectId, body: { suiteId } })
  await runEnded(client, projectId, runId)
  drift(false)
  const { runId: againId } = await client.runs.rerun({ projectId, runId, body: { scope: 'failed_cases' } })
  await runEnded(client, projectId, againId!)

  const at = (params: Record<string, string>) => runsRoute.to({ projectId, suiteId, pane: 'run', ...params })
  asked.length = 0
  const app = await openApp({ testService, place: at({ runId, tab: 'summary' }) })
  onTestFinished(() => app.close())
  const before = await app.see('Why 3 trials did not pass')
  expect(before).not.toContain('flaky')
  expect(asked.filter(url => url.includes(`${againId}/iterations`))).toEqual([])

  app.router.go(at({ runId: againId!, tab: 'summary' }))
  await app.see(/▌Run #3.*✓ passed, 3\/3/)
  await app.see('Latency of 3 trials')
  app.router.go(at({ runId, tab: 'summary' }))
  const frame = await app.see('Passed in a rerun')
  for (const title of ['adds small numbers', 'adds large numbers', 'adds nothing'])
    expect(frame).toContain(`≈ flaky: ${title}, passed in rerun #3`)
  expect(frame).not.toContain('flaky: has a process')

  app.router.go(at({ runId, tab: 'trials', rows: 'cases' }))
  await app.see(/✗ failed +adds small numbers +≈ flaky /)
  await app.press(panesKeys.bindings.zoom)
  await app.see(
    /Flaky +Passed in [^]*✗ failed +adds small numbers +≈ flaky +rerun #3 [^]*✓ passed +has a process +1\/1/,
  )
})
