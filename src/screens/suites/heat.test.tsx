import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { runsKeys } from '../runs/bindings.ts'
import { runsRoute } from '../runs/route.ts'
import { heatKeys } from './cases-keys.ts'

const keys = heatKeys.bindings
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

async function ended(runId: string): Promise<void> {
  await until(
    () => testService.client.runs.get({ projectId, runId }),
    run => isTerminalRunStatus(run.status),
  )
}

/** Creates a suite of a passing and a failing case, with this many ended runs. */
async function suiteWithRuns(suiteName: string, count: number, wrong = 'goodbye'): Promise<string> {
  const { client } = testService
  const tests = ['hello', wrong].map(needle => ({
    title: `hears ${needle}`,
    runs: 1,
    model: 'none',
    provider: 'none',
    steps: [
      {
        id: 'call',
        kind: 'toolCall' as const,
        serverName: 'everything',
        toolName: 'echo',
        arguments: { message: 'hello' },
      },
      { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle } },
    ],
  }))
  const { suiteId, runId } = await client.runs.create({ projectId, body: { suiteName, serverIds: [serverId], tests } })
  await ended(runId)
  for (let made = 1; made < count; made += 1)
    await ended((await client.runs.create({ projectId, body: { suiteId } })).runId)
  return suiteId
}

const openHeat = async (suiteId: string): Promise<void> => {
  app = await openApp({ testService, place: runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'heat' }) })
}

test('the heat map names the cell under the cursor, and opens its trial', async () => {
  await openHeat(await suiteWithRuns('Heat', 3))
  await app.see(/▌hears goodbye +✗ ✗ ✗/)
  await app.see(/hears hello +■ ■ ■/)
  await app.see(/hears goodbye in #3: failed since #1: expected/)
  await app.see(/Passed[^]*█ █ █[^]*Took to \d/)
  await app.see(/#3: 1 of 2 case executions passed, took \d/)
  await app.hover('■ ■ ■')
  await app.see('hears hello in #1: passed')
  await app.hover('hears hello')
  await app.see('hears goodbye in #3: failed')
  await app.hover('■ ■ ■')
  await app.press(keys.older, keys.older)
  await app.see('hears goodbye in #1: failed')
  await app.press(keys.down)
  await app.see('hears hello in #1: passed')
  await app.press(keys.open)
  await app.see(/hears hello[^\n]*\n[^\n]*trial 1 of 1/)
  await app.press(runsKeys.bindings.back)
  await app.see('[Trials 2]')
  await app.press(runsKeys.bindings.back)
  await app.see('▌Heat map')
})

test('a single run has nothing to be compared with', async () => {
  await openHeat(await suiteWithRuns('Alone', 1))
  await app.see('Fewer than two runs of this suite have ended.')
})

test('a tall pane of runs has the heat map below them, and a click focuses it', async () => {
  const suiteId = await suiteWithRuns('Heat below runs', 2)
  app = await openApp({ testService, place: runsRoute.to({ projectId, suiteId, pane: 'runs' }) })
  await app.see(/▌#2[^]* #1 [^]*─ Heat map ─[^]*▌hears goodbye +✗ ✗/)
  await app.click('hears goodbye')
  await app.see('[Heat map]')
})

test('a reason that is longer than its rows ends with a sign that it continues', async () => {
  await openHeat(await suiteWithRuns('Wordy', 2, 'goodbye '.repeat(20)))
  await app.see(/ goodbye …/)
})
