import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import { confirmKeys, fieldKeys, foldKeys, panesKeys, tabsKeys } from '../../components/component-keys.ts'
import { filterKeys, listKeys } from '../../components/list/list-keys.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { traceKeys } from '../../components/transcript/trace-keys.ts'
import { projectsRoute } from '../projects/route.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { runsKeys } from './bindings.ts'
import { runsRoute } from './route.ts'

const keys = runsKeys.bindings
const confirm = confirmKeys.bindings

let testService: TestService
let projectId: string
let serverId: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  serverId = (await client.servers.list({ projectId })).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

type Case = { title: string; steps: EvalTestStep[] }

function callOf(toolName: string, args: Record<string, unknown>): EvalTestStep {
  return { id: 'call', kind: 'toolCall', serverName: 'everything', toolName, arguments: args }
}

/** Returns a case that calls echo with `hello` and expects a text in the answer. */
function echoCase(title: string, wanted: string): Case {
  const assertion = { type: 'responseContains', needle: wanted }
  return { title, steps: [callOf('echo', { message: 'hello' }), { id: 'text', kind: 'assert', assertion }] }
}

/** Launches these cases in a suite with this name. */
async function launch(suiteName: string, cases: Case[]) {
  const tests = cases.map(each => ({ ...each, runs: 1, model: 'none', provider: 'none' }))
  const body = { suiteName, serverIds: [serverId], tests }
  return await testService.client.runs.create({ projectId, body })
}

async function relaunch(suiteId: string): Promise<void> {
  const { runId } = await testService.client.runs.create({ projectId, body: { suiteId } })
  await ended(runId)
}

/** Creates a suite of one passing and one failing case with this many ended runs. */
async function suiteWithRuns(name: string, count: number): Promise<string> {
  const { suiteId, runId } = await launch(name, [
    echoCase('says what it is told', 'hello'),
    echoCase('hears something else', 'goodbye'),
  ])
  await ended(runId)
  for (let made = 1; made < count; made += 1) await relaunch(suiteId)
  return suiteId
}

async function ended(runId: string) {
  return await until(
    () => testService.client.runs.get({ projectId, runId }),
    run => isTerminalRunStatus(run.status),
  )
}

const runsOf = async (suiteId: string) => (await testService.client.runs.list({ projectId, suiteId })).items

async function openRuns(params: Record<string, string> = {}): Promise<void> {
  app = await openApp({ testService, place: runsRoute.to({ projectId, ...params }) })
}

test('columns that the runs of a suite leave blank go to the names in the pane beside them', async () => {
  const suiteName = 'A suite asks for room of its neighbour'
  const title = 'A sum is wrong on purpose (the case fails by design)'
  const { suiteId, runId } = await launch(suiteName, [echoCase(title, 'goodbye')])
  await ended(runId)
  const place = runsRoute.to({ projectId, suiteId, runId, pane: 'run', tab: 'trials' })
  app = await openApp({ testService, place, size: { width: 200, height: 50 } })
  await app.see(`${title}   1/1`)
})

test('no key offers to open a run if a suite has none', async () => {
  const { suiteId } = await testService.client.suites.create({
    projectId,
    body: { name: 'Never ran', model: 'none', serverIds: [serverId], tests: [echoCase('hears', 'hello')] },
  })
  await openRuns({ suiteId, pane: 'runs' })
  await app.see('This suite has not run yet.')
  const isOffered = (): boolean => app.active().some(({ name, unavailable }) => name === 'runs.open' && !unavailable)
  expect(isOffered()).toBe(false)
  await app.press(panesKeys.bindings.next)
  await app.see('┬▌Run ')
  expect(isOffered()).toBe(false)
})

test('keys typed ahead open the run of a suite whose runs are not read yet', async () => {
  const suiteId = await suiteWithRuns('Typed ahead', 1)
  const held = Promise.withResolvers<void>()
  const client = createClient({
    async fetch(request) {
      if (/\/runs(\?|$)/.test(request.url)) await held.promise
      return await testService.fetch(request)
    },
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: testService.service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const place = runsRoute.to({ projectId, suiteId })
  app = await openApp({ testService: { ...testService, client, close: () => Promise.resolve() }, place })
  await app.see('▌Typed ahead')
  await app.press(keys.open)
  await app.press(keys.open)
  held.resolve()
  await app.see('▌Run #1')
})

describe('launching a suite', () => {
  test('opens the new run, and it ends with the failing trial on top', async () => {
    const suiteId = await suiteWithRuns('Agreed', 1)
    await openRuns({ suiteId })
    await app.see('▌Agreed')
    await app.press(keys.launch)
    await app.see('= 2 trials, as configured.')
    await app.press(formKeys.bindings.choose, formKeys.bindings.choose)
    await app.see('▌Run #2')
    const frame = await app.see(/✗ failed +hears something else[^]*✓ passed +says what it is told/)
    expect(frame).toContain('[Trials 2]')
    expect(await runsOf(suiteId)).toHaveLength(2)
  })
})

describe('cancelling a run', () => {
  test('asks first, then the run and its trials show as cancelled', async () => {
    const { suiteId, runId } = await launch('Slow', [
      { title: 'takes a minute', steps: [callOf('trigger-long-running-operation', { duration: 60, steps: 1 })] },
    ])
    await openRuns({ suiteId, runId, pane: 'run', tab: 'trials' })
    await app.see(/● running +takes a minute/)
    await app.press(keys.cancel)
    await app.see('❯ Keep it running')
    await app.press(confirm.choose)
    await app.see(frame => !frame.includes('Cancel run #1?'))
    expect(await testService.client.runs.get({ projectId, runId })).toMatchObject({ status: 'running' })
    await app.press(keys.cancel)
    await app.see('❯ Keep it running')
    await app.press(confirm.next, confirm.choose)
    await app.see('Run #1 cancelled: 0 of 1 case executions passed, 0 of 1 trials graded.')
    await app.see(/#1 +⊘ cancelled/)
    await app.see(/⊘ cancelled +takes a minute/)
    await app.press(keys.cancel)
    await app.see('No run that is in flight is chosen.')
  })

  test('says that nothing was stopped if the run ended during the question', async () => {
    const { suiteId, runId } = await launch('Short', [
      { title: 'takes a while', steps: [callOf('trigger-long-running-operation', { duration: 3, steps: 1 })] },
    ])
    await openRuns({ suiteId, runId, pane: 'run', tab: 'trials' })
    await app.see(/● running +takes a while/)
    await app.press(keys.cancel)
    await app.see('❯ Keep it running')
    await until(
      () => testService.client.runs.get({ projectId, runId }),
      ({ status }) => status === 'completed',
    )
    await app.press(confirm.next, confirm.choose)
    await app.see('Nothing was stopped: run #1 had already ended.')
  })
})

describe('rerunning failed cases', () => {
  test('previews cases and trials, and says when there is nothing to rerun', async () => {
    const suiteId = await suiteWithRuns('Rerun', 1)
    await openRuns({ suiteId, pane: 'runs' })
    await app.see(/▌#1 +✗ failed/)
    await app.press(keys.rerun)
    const preview = await app.see('❯ Cancel')
    expect(preview).toContain('1 of 2 cases would run again.')
    expect(preview).toContain('Trials that select their case: 1 failed.')
    expect(preview).toContain('Trials that do not count: 1 passed.')
    await app.press(confirm.cancel)
    await app.see(frame => !frame.includes('❯ Cancel'))
    expect(await runsOf(suiteId)).toHaveLength(1)
    const { suiteId: healthy, runId } = await launch('Healthy', [echoCase('fine', 'hello')])
    await ended(runId)
    await app.close()
    await openRuns({ suiteId: healthy, pane: 'runs' })
    await app.see(/▌#1 +✓ passed/)
    await app.press(keys.rerun)
    await app.see('No case of this run needs another try.')
  })

  test('says what someone launched during the question, and asks again', async () => {
    const suiteId = await suiteWithRuns('Contested', 1)
    await openRuns({ suiteId, pane: 'runs' })
    await app.see(/▌#1 +✗ failed/)
    await app.press(keys.rerun)
    await app.see('❯ Cancel')
    await relaunch(suiteId)
    await app.press(confirm.next, confirm.choose)
    await app.see('Meanwhile run #2 of this suite was launched.')
    expect(await runsOf(suiteId)).toHaveLength(2)
    await app.press(confirm.next, confirm.choose)
    await app.see('▌Run #3')
    expect(await runsOf(suiteId)).toHaveLength(3)
  })
})

describe('the runs of a suite', () => {
  test('keep the selected row while a new one appears above it', async () => {
    const suiteId = await suiteWithRuns('Moving', 2)
    await openRuns({ suiteId, pane: 'runs' })
    await app.see(/▌#2[^]*#1/)
    await app.press(listKeys.bindings.down)
    await app.see('▌#1')
    await relaunch(suiteId)
    await app.press(appKeys.bindings.refresh)
    await app.see(/ #3[^]* #2[^]*▌#1/)
    expect(app.frame()).toContain('Runs 3 of 3')
  })

  test('are filtered and sorted', async () => {
    const suiteId = await suiteWithRuns('Sorted', 3)
    await openRuns({ suiteId, pane: 'runs' })
    await app.see(/▌#3[^]*#2[^]*#1/)
    await app.press(listKeys.bindings.sort)
    await app.see(/Run↑[^]*#1[^]*#2[^]*#3/)
    await app.press(listKeys.bindings.reverse)
    await app.see(/#3[^]*#2[^]*#1/)
    await app.press(listKeys.bindings.filter)
    await app.type('#2')
    await app.see(/\/#2[^]*▌#2/)
    await app.press(fieldKeys.bindings.submit, filterKeys.bindings.clear)
    await app.see(frame => !frame.includes('/#2'))
    expect(app.frame()).toMatch(/Runs \d of 3 /)
    await app.press(listKeys.bindings.filter)
    await app.type('no such run')
    await app.see('Nothing matches “no such run”.')
    await app.press(fieldKeys.bindings.cancel)
    await app.see('▌#')
  })
})

describe('navigation through suites, runs and trials', () => {
  test('Enter goes from suite to trial, and back goes the same way, stopping at the suites', async () => {
    const suiteId = await suiteWithRuns('Deep', 1)
    app = await openApp({ testService, place: projectsRoute.to({ projectId }) })
    await app.see('▌Sandbox')
    app.router.go(runsRoute.to({ projectId, suiteId }))
    await app.see('▌Deep')
    await app.press(keys.open)
    await app.see('▌Runs 1 of 1')
    await app.press(keys.open)
    await app.see('▌Run #1')
    await app.see('[Summary]')
    await app.press(tabsKeys.bindings.next)
    await app.see('▌✗ failed')
    await app.press(keys.open)
    const trace = await app.see(/✗ fail +assert text/)
    expect(trace).toMatch(/expected final text containing "goodbye"/)
    expect(trace).toContain('echo {"message":"hello"}')
    await app.press(traceKeys.bindings.nextError, foldKeys.bindings.fold)
    await app.see(/▸ ✗ fail +assert text/)
    await app.press(keys.back)
    await app.see('[Trials 2]')
    await app.press(keys.back)
    await app.see('▌Runs 1 of 1')
    await app.press(keys.back)
    await app.see('▌Suites')
    await app.press(keys.back)
    // Nothing comes before the suites, which keep the focus.
    await app.press(listKeys.bindings.first)
    // The name may be cut if another suite's state is long.
    await app.see(/▌Reference server s/)
    expect(app.router.current()).toMatchObject({ screen: 'runs', params: { pane: 'suites' } })
  })

  test('opening the place of a run that does not exist says that there is none', async () => {
    await openRuns({ runId: 'run_gone', pane: 'run' })
    await app.see('There is no run run_gone in this project')
    expect(app.router.current().params.runId).not.toBe('run_gone')
  })

  test('a place with only a run selects its suite and its row', async () => {
    const suiteId = await suiteWithRuns('Located', 2)
    const [, first] = await runsOf(suiteId)
    await openRuns({ runId: first!.id, pane: 'runs' })
    await app.see('▌#1')
    expect(app.router.current().params).toMatchObject({ suiteId })
  })
})

test('below a list with one run, the reason of its failure is shown, unless the run has its own pane', async () => {
  const suiteName = 'Below its list'
  const { suiteId, runId } = await launch(suiteName, [echoCase('hears nothing', 'goodbye')])
  await ended(runId)
  const place = runsRoute.to({ projectId, suiteId })
  app = await openApp({ testService, place, size: { width: 120, height: 40 } })
  await app.see('Why 1 trial did not pass')
  expect(app.frame()).toMatch(/─ Run #1 ─/)
  await app.resize({ width: 200, height: 50 })
  await app.see('Trials 1')
  expect(app.frame().split('Why 1 trial did not pass')).toHaveLength(2)
})
