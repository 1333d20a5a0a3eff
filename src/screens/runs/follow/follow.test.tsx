import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { launchStage, quickCase, slowCase } from '../../../../test/launch-stage.ts'
import { until } from '../../../../test/service/harness.ts'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import { createPins, type Pins } from '../../../domain/runs/pins.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { projectsRoute } from '../../projects/route.ts'
import { runsKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'

let service: TestService
let stage: Awaited<ReturnType<typeof launchStage>>
let app: TestApp
let pins: Pins
/** Id of a run that the service no longer has. */
let deleted: string | undefined

beforeAll(async () => {
  service = await openService({
    maxConcurrentRuns: 20,
    wrap: fetch => async request =>
      deleted !== undefined && request.url.includes(deleted)
        ? Response.json({ code: 'NOT_FOUND', message: 'gone' }, { status: 404 })
        : await fetch(request),
  })
  stage = await launchStage(service.client)
})
afterAll(() => service.close())
afterEach(() => app.close())

const header = (): string => app.frame().split('\n')[0] ?? ''
const cancel = (runId: string) => service.client.runs.cancel({ projectId: stage.projectId, runId })

async function launch(name: string, seconds: number) {
  const { projectId } = stage
  const tests = [quickCase('quick'), slowCase('slow', seconds)]
  const suiteId = await stage.suite(name, { tests })
  const { runId } = await service.client.runs.create({ projectId, body: { suiteId } })
  return { projectId, suiteId, runId }
}

async function openAt(place: ReturnType<typeof runsRoute.to>): Promise<void> {
  app = await openApp({ testService: service, place, pins })
}

test('a run is followed and unfollowed with a key, and its progress shows on every screen', async () => {
  pins = createPins()
  const run = await launch('Pinned', 60)
  await openAt(runsRoute.to({ ...run, pane: 'run' }))
  await app.see('▌Run #1')
  await app.press(runsKeys.bindings.follow)
  await app.see('Run #1 is followed from every screen.')
  expect(pins.list()).toEqual([run])
  app.router.go(projectsRoute.to({ projectId: run.projectId }))
  await app.see(() => /#1 ━── 50%/.test(header()))
  app.router.go(runsRoute.to({ ...run, pane: 'run' }))
  await app.see('▌Run #1')
  await app.press(runsKeys.bindings.follow)
  await app.see('Run #1 is no longer followed.')
  expect(header()).not.toContain('#1 ━')
  await cancel(run.runId)
})

test('the end is announced on any screen, stays in the header, and is cleared by going there', async () => {
  pins = createPins()
  const run = await launch('Ending', 60)
  pins.add([run])
  await openAt(projectsRoute.to({ projectId: run.projectId }))
  await app.see(() => /#1 ━── 50%/.test(header()))
  await cancel(run.runId)
  await app.see('Run #1 cancelled: 1 of 2 case executions passed, 1 of 2 trials graded.')
  await app.see(() => header().includes('#1 ⊘ cancelled'))
  await app.press(appKeys.bindings.followed)
  await app.see('▌Run #1')
  await app.see(() => !header().includes('#1 ⊘'))
  expect(pins.list()).toEqual([])
  await app.press(appKeys.bindings.followed)
  await app.see('No run is followed.')
})

test('a run that is gone is announced as gone, and not by its last state', async () => {
  pins = createPins()
  const run = await launch('Deleted', 60)
  pins.add([run])
  await openAt(projectsRoute.to({ projectId: run.projectId }))
  await app.see(() => /#1 ━── 50%/.test(header()))
  deleted = run.runId
  onTestFinished(async () => {
    deleted = undefined
    await cancel(run.runId).catch(() => undefined)
  })
  await app.see('Run #1 is gone: it was deleted, or this key can no longer see it.')
})

test('a run that ended while the program was closed waits in the header, and the palette lists it', async () => {
  pins = createPins()
  const run = await launch('Away', 0)
  pins.add([{ ...run, label: 'staging' }])
  await until(
    () => service.client.runs.get({ projectId: run.projectId, runId: run.runId }),
    ({ status }) => isTerminalRunStatus(status),
  )
  await openAt(projectsRoute.to({ projectId: run.projectId }))
  await app.see(() => header().includes('#1 staging ✓ passed'))
  await app.press(appKeys.bindings.palette)
  await app.type('followed run #1')
  await app.see('Followed run #1 staging: passed')
  await app.press('enter')
  await app.see('▌Run #1')
  expect(header()).toContain('#1 staging')
  await app.press('escape')
  await app.see(() => !header().includes('#1 staging'))
  expect(pins.list()).toEqual([])
})

test('if more runs are followed than fit, the header counts the rest and still shows the place', async () => {
  pins = createPins()
  const runs = [await launch('Many', 0)]
  await until(
    () => service.client.runs.get({ projectId: runs[0]!.projectId, runId: runs[0]!.runId }),
    ({ status }) => isTerminalRunStatus(status),
  )
  for (let made = 0; made < 8; made += 1) pins.add([{ ...runs[0]!, runId: `run_missing_${made}` }])
  await openAt(projectsRoute.to({ projectId: stage.projectId }))
  await app.see(() => /gone {2}\+\d/.test(header()))
  expect(header()).toContain('Projects')
})
