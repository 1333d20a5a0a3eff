import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { adviser, json } from '../../../../test/service/analysis-runs.ts'
import { until } from '../../../../test/service/harness.ts'
import { scriptedModel, type Answer, type Asked } from '../../../../test/service/scripted-model.ts'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import { confirmKeys, panesKeys, restKeys, tabsKeys, viewerKeys } from '../../../components/component-keys.ts'
import { formKeys } from '../../../components/form/form-keys.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { insightsKeys, runsKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'

const keys = runsKeys.bindings
const asks = insightsKeys.bindings
const { down, last } = viewerKeys.bindings

let testService: TestService
let projectId: string
let app: TestApp

beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

type Reported = { caseTitle: string; passed: boolean; [field: string]: unknown }

/** Reports a run that another program executed. */
async function report(suiteName: string, results: Reported[], service = testService) {
  const { items } = await service.client.projects.list()
  const body = { suiteName, serverNames: [], framework: 'vitest', notes: 'build 7', results }
  const answer = await service.client.evalIngest.report({ projectId: items[0]!.id, body })
  return answer as { runId: string; suiteId: string }
}

const passing = (caseTitle: string, more: object = {}): Reported => ({
  caseTitle,
  passed: true,
  durationMs: 200,
  ...more,
})
const failing = (caseTitle: string, more: object = {}): Reported => ({ caseTitle, passed: false, ...more })

async function openRun(place: { runId: string; suiteId: string }, tab = 'summary', from = testService) {
  const project = (await from.client.projects.list()).items[0]!.id
  app = await openApp({
    testService: from,
    place: runsRoute.to({ projectId: project, suiteId: place.suiteId, runId: place.runId, pane: 'run', tab }),
  })
  await app.see('▌Run #')
  await app.press(panesKeys.bindings.zoom)
}

/** Moves down until the pointer is on this text. */
async function goTo(text: string): Promise<void> {
  const pointed = () => app.row('│▌')
  for (let step = 0; step < 80 && !pointed().includes(text); step += 1) await app.press(down)
  expect(pointed()).toContain(text)
}

describe('the summary of a run', () => {
  const mixed = [
    passing('right'),
    failing('wrong', { error: 'expected 4, got 5' }),
    failing('unreached', {
      model: 'gpt-x',
      provider: 'p',
      error: 'no such call',
      expectedToolCalls: [{ toolName: 'sum', arguments: {} }],
    }),
    failing('hurried', { status: 'error', error: '429 Too Many Requests' }),
    failing('hurried again', { status: 'error', error: 'rate limit hit' }),
  ]

  test('keeps status and decision apart, says a verdict once, and counts in the unit of the run', async () => {
    await openRun(await report('Apart', mixed))
    const frame = await app.see('Counts')
    expect(frame).toMatch(/Status +completed, started just now/)
    expect(frame).toMatch(/Decision +✗ failed/)
    expect(frame).not.toContain('Verdict')
    expect(frame).toMatch(/Scores +not verified by the service/)
    expect(frame).toMatch(/Passed +1 of 3 graded case executions \(33%\)/)
    await app.press(last)
    const end = await app.see('Ids and other fields')
    expect(end).not.toContain('Run id')
    await app.press(restKeys.bindings.show, last)
    await app.see('Run id')
    expect(end).toMatch(/Client +vitest, the harness that reported it/)
    expect(end).toMatch(/Notes +build 7/)
  })

  test('names the class of each failure, and causes outside the case are not failures', async () => {
    await openRun(await report('Classes', mixed))
    const frame = await app.see('Why 4 trials did not pass')
    expect(frame).toMatch(/✗ model: 1 trial\.[^]*unreached \(trial 1\): no such call/)
    expect(frame).toMatch(/✗ case: 1 trial\.[^]*wrong \(trial 1\): expected 4, got 5/)
    expect(frame).toMatch(/! throttling: 2 trials, no failure of a case\.[^]*hurried \(trial 1\): 429 Too Many/)
  })

  test('opens the trials of the selected class', async () => {
    await openRun(await report('Filtered', mixed))
    await app.see('! throttling')
    await goTo('throttling')
    await app.press(keys.open)
    const frame = await app.see('[Trials 5]')
    expect(frame).toContain('▌! broke off    hurried')
    expect(frame).toContain('hurried again')
    expect(frame).not.toContain('wrong')
  })

  test('draws latency and tokens of all trials', async () => {
    const timed = Array.from({ length: 20 }, (_, index) =>
      passing(`case ${index}`, {
        durationMs: 100 * (index + 1),
        model: 'm',
        tokens: { input: 1, output: 1, total: 50 },
      }),
    )
    await openRun(await report('Timed', timed))
    const frame = await app.see('Latency of 20 trials')
    expect(frame).toMatch(/p50 1s .*\n.*p90 1\.8s +p95 1\.9s +most 2s/)
    expect(frame).toMatch(/least \S+ +p25 \S+ +p50 \S+ +p75 \S+/)
    expect(frame).toMatch(/├─+░+█░+─+┤/)
    expect(frame).toMatch(/500ms to 1s +━+ +5/)
    expect(frame).toContain('Tokens: 1,000 in all')
  })

  test('compares the run with earlier ones of its suite', async () => {
    await report('History', [passing('a'), failing('b')])
    await report('History', [passing('a'), passing('b')])
    await openRun(await report('History', [failing('a'), failing('b')]))
    await app.see('Pass rate of this and earlier runs')
    expect(app.frame()).toMatch(/earlier runs of the suite, in case executions/)
    expect(app.frame()).toMatch(/ #1 ━+─+ +50% +1\/2 +┃?│/)
    expect(app.frame()).toMatch(/▌ #3 ─+ +0% +0\/2 this run/)
    expect(app.frame()).toContain('Of 2 earlier runs, 2 did better, 0 as well, 0 worse.')
  })

  test('ungraded trials count in the rate beside earlier runs, as in every trend', async () => {
    const ungraded = { caseTitle: 'b', status: 'evaluator_error' } as unknown as Reported
    await report('Rates', [passing('a'), passing('b')])
    await openRun(await report('Rates', [passing('a'), ungraded]))
    await app.see('Pass rate of this and earlier runs')
    expect(app.frame()).toMatch(/▌ #2 ━+─+ +50% +1\/2, 1 of 2 trials graded this run/)
  })

  test('shows for a run in flight what is done, that there is no verdict yet, and what is unknown', async () => {
    const serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
    const steps = [
      {
        id: 'call',
        kind: 'toolCall' as const,
        serverName: 'everything',
        toolName: 'trigger-long-running-operation',
        arguments: { duration: 60, steps: 1 },
      },
    ]
    const tests = [{ title: 'takes a minute', steps, runs: 3, model: 'none', provider: 'none' }]
    const body = { suiteName: 'Slow', serverIds: [serverId], tests }
    const run = await testService.client.runs.create({ projectId, body })
    await openRun(run)
    const frame = await app.see(/0 of 3 trials, \d running, time left unknown/)
    expect(frame).toMatch(/Decision +none yet/)
    expect(frame).toMatch(/ [●·] [●·] [●·] /)
    expect(frame).toContain('not established, so there is none (unfinished: The run has not ended.)')
    await testService.client.runs.cancel({ projectId, runId: run.runId })
    await app.see(/Status +cancelled/)
    await app.see(/⊘ ⊘ ⊘ [^]*⊘ cancelled/)
    expect(app.frame()).toContain('(stopped early: The run was cancelled.)')
    expect(app.frame()).toMatch(/Passed +0 of 0 graded case executions \(—\)/)
  })

  test('attributes setup failures to the environment', async () => {
    const { client } = testService
    const body = { name: 'gone', url: 'http://127.0.0.1:9/mcp' }
    const server = await client.servers.create({ projectId, body: { ...body, transportType: 'http', enabled: true } })
    const steps = [{ id: 'call', kind: 'toolCall' as const, serverName: 'gone', toolName: 'x', arguments: {} }]
    const tests = [{ title: 'cannot begin', steps, runs: 1, model: 'none', provider: 'none' }]
    const run = await client.runs.create({ projectId, body: { suiteName: 'Unreached', serverIds: [server.id], tests } })
    await until(
      () => client.runs.get({ projectId, runId: run.runId }),
      ({ status }) => isTerminalRunStatus(status),
    )
    await openRun(run)
    await app.see(/! environment: 1 trial, no failure of a case/)
  })
})

describe('the diagnostics of a run', () => {
  test('are read page by page, the next page when the end of the last one is reached', async () => {
    const results = Array.from({ length: 45 }, (_, index) =>
      failing(`wrong ${index + 1}`, { error: `got ${index + 1}` }),
    )
    await openRun(await report('Pages', results), 'diagnostics')
    await app.see('20 trials did not pass among 20 read; there may be more.')
    await app.press(last)
    await app.see(/wrong 21/)
    await app.press(last)
    await app.see('wrong 41')
    await app.press(last)
    await app.see(/✗ failed \(case\): wrong 45/)
    await app.press(viewerKeys.bindings.first)
    await app.see('45 trials did not pass among 45 read; that is all.')
  })

  test('open the trial of the selected failure', async () => {
    await openRun(
      await report('Leads', [passing('fine'), failing('first'), failing('second', { error: 'got 6' })]),
      'diagnostics',
    )
    await app.see('2 trials did not pass')
    await goTo('second')
    await app.press(keys.open)
    await app.see('[Trial]')
    await app.see(/ second [^\n]*\n[^\n]*trial 1 of 1/)
    expect(app.frame()).toContain('got 6')
  })

  test('say if nothing went wrong', async () => {
    await openRun(await report('Fine', [passing('fine')]), 'diagnostics')
    await app.see('Nothing went wrong in this run.')
  })

  test('say why a page cannot be read, and retry', async () => {
    let refuses = true
    const failingService = await openService({
      wrap: fetch => async request => {
        const fails = refuses && request.url.includes('cursor=') && !request.url.includes('iterations')
        return await fetch(fails ? { ...request, url: request.url.replace(/cursor=[^&]*/, 'cursor=forged') } : request)
      },
    })
    const results = Array.from({ length: 25 }, (_, index) => failing(`wrong ${index + 1}`))
    try {
      await openRun(await report('Refused', results, failingService), 'diagnostics', failingService)
      await app.see('20 trials did not pass')
      await app.press(last)
      await app.see('The next page could not be read; see the trials for the rest.')
      refuses = false
      await app.press(last, keys.open)
      await app.see('wrong 23')
      await app.press(last)
      await app.see('wrong 25')
    } finally {
      await app.close()
      await failingService.close()
    }
  })
})

/** Starts a service whose model answers by this script, with a finished run of one case that failed. */
async function judged(script: (asked: Asked) => Answer) {
  const { settings, asked } = await scriptedModel(script)
  const service = await openService({ models: { ...settings, model: 'helper' } })
  onTestFinished(() => service.close())
  const { client } = service
  const project = (await client.projects.list()).items[0]!.id
  const serverId = (await client.servers.list({ projectId: project })).items[0]!.id
  const steps = [
    { id: 'call', kind: 'toolCall' as const, serverName: 'everything', toolName: 'echo', arguments: { message: 'x' } },
    { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle: 'y' } },
  ]
  const tests = [{ title: 'goal', steps, runs: 1, model: 'none', provider: 'none', expectedOutput: 'It tells x.' }]
  const body = { suiteName: 'Goals', serverIds: [serverId], tests }
  const run = await client.runs.create({ projectId: project, body })
  await until(
    () => client.runs.get({ projectId: project, runId: run.runId }),
    ({ status }) => isTerminalRunStatus(status),
  )
  return { service, run, asked }
}

describe('the insights of a run', () => {
  test('say how to get a model if there is none, and request nothing by themselves', async () => {
    await openRun(await report('Modelless', [failing('wrong')]), 'insights')
    await app.see('Not available')
    expect(app.frame()).toContain('This needs a model: set MCPDECK_MODEL_BASE_URL')
    await app.press(asks.insights)
    await app.see('❯ Cancel')
    expect(app.frame()).toContain('one of the organization’s daily insights')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(frame => frame.split('This needs a model').length === 3)
  })

  test('are requested once, shown when available, and only repeated after a warning about the charge', async () => {
    const { service, run, asked } = await judged(adviser)
    await openRun(run, 'insights', service)
    await app.see('Not requested.')
    await app.press(asks.insights)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.choose)
    await app.see(frame => !frame.includes('❯ Cancel'))
    expect(asked).toHaveLength(0)
    await app.press(asks.insights)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('It went wrong.')
    expect(app.frame()).toContain('1 finding')
    await app.see(/Advice, by a model do 1/)
    await app.press(asks.insights)
    await app.see('Generating them again is charged again.')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(frame => !frame.includes('❯'))
    await until(
      () => asked.length,
      count => count === 2,
    )
  })

  test('request a judge with a threshold, and refuse an invalid number', async () => {
    const { service, run, asked } = await judged(() =>
      json({ score: 0.4, reason: 'Half of it.', rubricHits: ['tells it'] }),
    )
    await openRun(run, 'insights', service)
    await app.see('not requested')
    await app.press(asks.judge)
    await app.see('Have a model judge run #1?')
    await app.press(formKeys.bindings.next)
    await app.type('7')
    await app.press(formKeys.bindings.send)
    await app.see('must be a number from 0 to 1')
    expect(asked).toHaveLength(0)
    await app.press('backspace')
    await app.type('0.5')
    await app.press(formKeys.bindings.send)
    await app.see('0 of 1 case reached the threshold of 0.5')
    expect(app.frame()).toMatch(/0\.4: Half of it\. \(tells it\)/)
    await app.press(asks.judge)
    await app.see('Grading again is charged again.')
    await app.press(formKeys.bindings.cancel, tabsKeys.bindings.next, appKeys.bindings.refresh)
    await app.see('[Summary]')
    await app.press(last)
    await app.see(/Goal completion: 0 of 1 case reached the threshold of 0\.5/)
    expect(app.frame()).toMatch(/✗ 0\.4 /)
  })
})
