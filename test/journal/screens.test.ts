import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { runsRoute } from '../../src/screens/runs/route.ts'
import { serversRoute } from '../../src/screens/servers/route.ts'
import { openApp, openService } from '../harness.tsx'
import type { Ending } from '../service/harness.ts'
import { createScene } from './scene.ts'

/** A service, and a journal in which a process that is gone has left an open write. */
async function stage(ending: Ending) {
  const testService = await openService()
  const scene = createScene()
  ending.onTestFinished(async () => {
    await testService.close()
    scene.remove()
  })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const suite = (await client.suites.list({ projectId })).items[0]!
  const server = (await client.servers.list({ projectId })).items[0]!
  const leave = async (endpoint: AnyEndpoint, input: object) => {
    const gone = scene.start()
    const intent = await gone.journal.begin({ endpoint, input, idempotencyKey: undefined })
    intent.sent()
    gone.kill()
  }
  const { journal } = scene.start()
  return { testService, projectId, suite, server, leave, access: { journal } }
}

test('a launch in doubt is shown above the suites while its suite is selected', async ending => {
  const { testService, projectId, suite, leave, access } = await stage(ending)
  await leave(contract.runs.create, { projectId, body: { suiteId: suite.id } })
  const place = runsRoute.to({ projectId })
  const app = await openApp({ testService, place, access })
  await app.see(/! Create eval run /)
  expect(app.frame()).toContain('may have')
  await app.close()
})

test('a change of a server in doubt is shown above its tabs, and a new one above the list', async ending => {
  const { testService, projectId, server, leave, access } = await stage(ending)
  await leave(contract.servers.update, { projectId, serverId: server.id, body: { enabled: false } })
  await leave(contract.servers.create, { projectId, body: { name: 'new' } })
  const app = await openApp({ testService, place: serversRoute.to({ projectId }), access })
  await app.see(/! Update project server /)
  await app.see(/! Create project server/)
  expect(app.frame()).toContain('may have')
  await app.close()
})

test('a cancel in doubt is shown above the tabs of its run', async ending => {
  const { testService, projectId, suite, leave, access } = await stage(ending)
  const { runId } = await testService.client.runs.create({ projectId, body: { suiteId: suite.id } })
  await leave(contract.runs.cancel, { projectId, runId })
  const place = runsRoute.to({ projectId, suiteId: suite.id, runId, pane: 'run' })
  const app = await openApp({ testService, place, access })
  await app.see(/! Cancel eval run /)
  expect(app.frame()).toContain('may have')
  await app.close()
})
