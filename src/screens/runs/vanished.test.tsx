import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { launchStage, quickCase, slowCase } from '../../../test/launch-stage.ts'
import { plainHeaders } from '../../api/contract/message.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { createPins } from '../../domain/runs/pins.ts'
import { projectsRoute } from '../projects/route.ts'
import { runsRoute } from './route.ts'

const GONE = { status: 404, headers: plainHeaders({}), body: '{"code":"NOT_FOUND","message":"There is no such run."}' }

let service: TestService
let stage: Awaited<ReturnType<typeof launchStage>>
let app: TestApp
let vanished: string | undefined
/** Whether the list of runs still names the vanished run. */
let isListed = false

beforeAll(async () => {
  service = await openService({
    maxConcurrentRuns: 20,
    wrap: fetch => async request => {
      const answer = await fetch(request)
      if (vanished === undefined) return answer
      if (request.url.includes(`/eval-runs/${vanished}`)) return GONE
      if (isListed || !/\/eval-suites\/[^/]+\/runs/.test(request.url)) return answer
      const runs = JSON.parse(answer.body as string) as { id: string }[]
      return { ...answer, body: JSON.stringify(runs.filter(({ id }) => id !== vanished)) }
    },
  })
  stage = await launchStage(service.client)
})
afterAll(() => service.close())
beforeEach(() => {
  vanished = undefined
  isListed = false
})
afterEach(async () => {
  vanished = undefined
  await app.close()
})

const header = (): string => app.frame().split('\n')[0] ?? ''

async function launch(name: string) {
  const { projectId } = stage
  const tests = [quickCase('quick'), slowCase('slow', 60)]
  const suiteId = await stage.suite(name, { tests })
  const { runId } = await service.client.runs.create({ projectId, body: { suiteId } })
  return { projectId, suiteId, runId }
}

test.each(['summary', 'trials', 'diagnostics'])(
  'a run that vanishes while its %s is open is not shown as continuing',
  async tab => {
    const run = await launch(`Vanishing ${tab}`)
    app = await openApp({ testService: service, place: runsRoute.to({ ...run, pane: 'run', tab }) })
    await app.see(/Run #1 ─+ ● running[^]*Trials 2/)
    vanished = run.runId
    await app.see('What is open here is not in the list')
    expect(app.frame()).not.toMatch(/running|left/)
    vanished = undefined
    await app.press(appKeys.bindings.refresh)
    await app.see('running')
    await service.client.runs.cancel({ projectId: run.projectId, runId: run.runId })
  },
)

test.each(['summary', 'trials', 'diagnostics'])('the %s says so if a listed run cannot be read any more', async tab => {
  const run = await launch(`Listed ${tab}`)
  isListed = true
  app = await openApp({ testService: service, place: runsRoute.to({ ...run, pane: 'run', tab }) })
  await app.see(/Run #1 ─+ ● running[^]*Trials 2/)
  vanished = run.runId
  const frame = await app.see('! gone')
  expect(frame).toContain('Not found')
  expect(frame).not.toMatch(/seconds left|time left|about \d/)
  vanished = undefined
  await app.press(appKeys.bindings.refresh)
  await app.see(shown => !shown.includes('! gone'))
  await service.client.runs.cancel({ projectId: run.projectId, runId: run.runId })
})

test('a followed run that vanishes is removed from the header', async () => {
  const run = await launch('Vanishing followed')
  const pins = createPins()
  pins.add([run])
  app = await openApp({ testService: service, place: projectsRoute.to({ projectId: run.projectId }), pins })
  await app.see(() => /#1 ━── 50%/.test(header()))
  vanished = run.runId
  await app.see(() => header().includes('#1 ! gone'))
  vanished = undefined
  await service.client.runs.cancel({ projectId: run.projectId, runId: run.runId })
})
