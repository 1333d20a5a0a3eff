import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { until } from '../../../../test/service/harness.ts'
import type { EvalTestStep } from '../../../api/contract/eval-shapes.ts'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import { panesKeys, tabsKeys, viewerKeys } from '../../../components/component-keys.ts'
import { filterKeys, listKeys } from '../../../components/list/list-keys.ts'
import { traceKeys } from '../../../components/transcript/trace-keys.ts'
import { runsKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'
import { trialsKeys } from './trial-keys.ts'

const keys = trialsKeys.bindings
const NARROW = { width: 80, height: 24 }
const WIDE = { width: 120, height: 40 }

let testService: TestService
let place: (params?: Record<string, string>) => ReturnType<typeof runsRoute.to>
let app: TestApp

const calls = (toolName: string, args: Record<string, unknown>, serverName = 'everything'): EvalTestStep => ({
  id: `call-${toolName}`,
  kind: 'toolCall',
  serverName,
  toolName,
  arguments: args,
})
const wants = (id: string, assertion: Record<string, unknown>): EvalTestStep => ({ id, kind: 'assert', assertion })
const calledWith = (toolName: string, args: Record<string, unknown>) =>
  wants(`with-${toolName}`, { type: 'toolCalledWith', toolName, args: { args } })

const CASES = [
  {
    title: 'greets wrongly',
    steps: [calls('echo', { message: 'hello', filler: 'y' }), calledWith('echo', { message: 'goodbye', loud: true })],
  },
  {
    title: 'sums too late',
    steps: [
      calls('get-sum', { a: 1, b: 2 }),
      calls('echo', { message: 'x' }),
      calledWith('echo', { message: 'x' }),
      calledWith('get-sum', { a: 1, b: 2 }),
      wants('image', { type: 'toolCalledAtLeastOnce', toolName: 'get-tiny-image' }),
    ],
  },
  { title: 'has no server', steps: [calls('echo', { message: 'x' }, 'nowhere')] },
  { title: 'greets', steps: [calls('echo', { message: 'hello' }), calledWith('echo', { message: 'string' })] },
  { title: 'calls nothing', isNegativeTest: true, steps: [calls('echo', { message: 'hello' })] },
]

beforeAll(async () => {
  testService = await openService()
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const serverId = (await client.servers.list({ projectId })).items[0]!.id
  const tests = CASES.map(each => ({ ...each, runs: 1, model: 'none', provider: 'none' }))
  const ended = (runId: string) =>
    until(
      () => client.runs.get({ projectId, runId }),
      run => isTerminalRunStatus(run.status),
    )
  const { suiteId, runId: first } = await client.runs.create({
    projectId,
    body: { suiteName: 'Classes', serverIds: [serverId], tests },
  })
  await ended(first)
  const settings = { matchOptions: { toolCallOrder: 'in-order', extraToolCalls: 0 } }
  await client.suites.update({ projectId, suiteId, body: { settings } })
  const { runId } = await client.runs.create({ projectId, body: { suiteId, iterationOverride: 2 } })
  await ended(runId)
  place = params => runsRoute.to({ projectId, suiteId, runId, pane: 'run', tab: 'trials', ...params })
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openTrials(size = NARROW, params: Record<string, string> = {}): Promise<void> {
  app = await openApp({ testService, place: place(params), size })
  await app.see('Trials 10')
}

/** Opens the first trial of a case. */
async function openTrial(title: string, size = NARROW): Promise<void> {
  await openTrials(size)
  await app.press(listKeys.bindings.filter)
  await app.type(title)
  await app.press('enter')
  await app.see(frame => new RegExp(`▌. [a-z ]+${title.slice(0, 10)}`).test(frame))
  await app.press(runsKeys.bindings.open)
  await app.see(/\[Trial\][^]*Steps/)
}

describe('the trials of a run', () => {
  test('show their class, failing first, and one key filters failures, then each kind', async () => {
    await openTrials()
    const frame = await app.see(/▌✗ failed[^]*! not run +has no server[^]*✓ passed +greets/)
    expect(frame).toMatch(/greets wrongly +1\/2/)
    expect(frame).toMatch(/greets wrongly +2\/2/)
    // The text that fits no column is below the list.
    expect(frame).toMatch(/\n│ greets wrongly +│\n│ expected at least 1 call of echo with/)
    await app.press(keys.show)
    const failing = await app.see('/!state:passed')
    expect(failing).not.toContain('✓ passed')
    expect(failing).toContain('! not run')
    await app.press(keys.show)
    await app.see(all => all.includes('/state:failed') && !all.includes('! not run'))
    await app.press(keys.show)
    await app.see(all => all.includes('/state:not') && !all.includes('✗ failed  '))
    await app.press(keys.show)
    await app.see(/✗ failed[^]*✓ passed/)
    await app.press(keys.show, filterKeys.bindings.clear)
    await app.see(/✗ failed[^]*✓ passed/)
  })

  test('are grouped by class when sorted, below a wall of all trials in the order of the run', async () => {
    await openTrials(WIDE)
    await app.see(/✗ ✗ ✗ ✗ ! ! ■ ■ ✗ ✗ /)
    await app.hover('! ! ■ ■')
    await app.see(/│ has no server +[│\n]/)
    await app.press(listKeys.bindings.sort, listKeys.bindings.reverse)
    await app.see(/✓ passed[^]*! not run[^]*✗ failed/)
  })

  test('fold into one row for each case with its passed and graded trials, and unfold again', async () => {
    await openTrials()
    await app.press(keys.byCase)
    const frame = await app.see(/✗ failed +greets wrongly +0\/2 +0%/)
    expect(frame).toMatch(/✓ passed +greets +2\/2 +100%/)
    expect(frame).toMatch(/! not run +has no server +— +—/)
    await app.press(keys.show)
    await app.see('Cases are shown, not trials.')
    await app.press(listKeys.bindings.last, runsKeys.bindings.open)
    await app.see(/▌✓ passed +greets +1\/2/)
    await app.press(keys.byCase)
    await app.see(/▌✓ passed +greets +2\/2 +100%/)
  })
})

describe('a trial at 80 columns', () => {
  test('shows verdict, reason and the differing arguments on the first screen', async () => {
    await openTrial('greets wrongly')
    const frame = await app.see(/~ message: expected "goodbye", actual "hello"/)
    expect(frame).toMatch(/✗ failed +assert with-echo: expected/)
    expect(frame).toMatch(/greets wrongly[^\n]*\n[^\n]*trial 1 of 2 +· +took/)
    expect(frame).toContain('Expected and actual calls: 1 difference')
    expect(frame).toMatch(/~ arguments +echo \{"message":"goodbye","loud":true\}/)
    expect(frame).toContain('- loud: not given, expected true')
    expect(frame).not.toContain('filler: ')
  })

  test('shows what is missing and what is out of order, by the options of the suite', async () => {
    await openTrial('sums too late')
    const frame = await app.see('Compared in this order')
    expect(frame).toMatch(/✓ matched +echo \{"message":"x"\}/)
    expect(frame).toMatch(/! out of order +get-sum \{"a":1,"b":2\}/)
    expect(frame).toMatch(/✗ missing +get-tiny-image/)
  })

  test('folds everything that is as expected, and steps through its trace', async () => {
    await openTrial('has no server')
    const frame = await app.see('! not run')
    expect(frame).toContain('The run has no server "nowhere"')
    expect(frame).toContain('It could not be set up; nothing was graded.')
    await app.press(traceKeys.bindings.nextError)
    await app.see(/▌▾ ✗ fail/)
  })

  test('a negative case says that no tool may be called, and scores say what they decide', async () => {
    await openTrial('calls nothing')
    await app.see('✗ No tool may be called; 1 call was made.')
    await app.press(viewerKeys.bindings.last)
    await app.see(/✗ failed +noToolCalled +0 of at least 1, gating/)
  })

  test('a passed trial needs only a few rows', async () => {
    await openTrials()
    await app.press(listKeys.bindings.last, tabsKeys.bindings.next)
    const frame = await app.see(/Expected calls: all 1 as expected[^]*: nothing failed/)
    expect(frame).toContain('✓ passed')
  })
})

test('at 120 columns expected and actual calls are side by side', async () => {
  await openTrial('greets wrongly', WIDE)
  await app.press(panesKeys.bindings.zoom)
  await app.see(/arguments +echo \{"message":"goodbye","loud":true\} +\| echo \{"message":"hello"/)
})
