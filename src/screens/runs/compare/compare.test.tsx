import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDriftingSuite, runEnded, type DriftingSuite } from '../../../../test/drifting-suite.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { confirmKeys, viewerKeys } from '../../../components/component-keys.ts'
import { listKeys } from '../../../components/list/list-keys.ts'
import { textOverlayKeys } from '../../../components/text-overlay-keys.ts'
import { serversRoute } from '../../servers/route.ts'
import { baseKeys, compareKeys, runsKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'

const keys = runsKeys.bindings
const compare = compareKeys.bindings
const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-compare-'))

let testService: TestService
let projectId: string
let nightly: DriftingSuite
let failedId: string
let app: TestApp
/** Whether the answer to the next rerun is lost. */
let loseAnswer = false
/** Whether runs that are read by their id are gone. */
let isGone = false

beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      if (isGone && request.method === 'GET' && /\/eval-runs\/[^/]+$/.test(new URL(request.url).pathname))
        return Response.json({ code: 'NOT_FOUND', message: 'No.' }, { status: 404 })
      const answer = await fetch(request)
      if (!loseAnswer || !request.url.endsWith('/rerun')) return answer
      loseAnswer = false
      throw new ApiError({ kind: 'network', code: 'reset', message: 'The line broke.', sent: true })
    },
  })
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  nightly = await createDriftingSuite(client, projectId, folder)
  nightly.drift(true)
  failedId = await relaunch()
})
afterAll(async () => {
  await testService.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => app.close())

async function relaunch(): Promise<string> {
  const { client } = testService
  const { runId } = await client.runs.create({ projectId, body: { suiteId: nightly.suiteId } })
  await runEnded(client, projectId, runId)
  return runId
}

async function openRun(params: Record<string, string>, size?: { width: number; height: number }): Promise<void> {
  const place = runsRoute.to({ projectId, suiteId: nightly.suiteId, pane: 'run', ...params })
  app = await openApp({ testService, place, ...(size && { size }) })
}

describe('a run beside its base', () => {
  test('shows both runs, the figures with sign and unit, and the grouped cases with both reasons', async () => {
    await openRun({ runId: failedId, tab: 'compare' })
    await app.press('z')
    const frame = await app.see(/✗ regressed +adds small numbers/)
    expect(frame).toContain('#2 ✗ failed against #1 ✓ passed, the previous completed run')
    expect(frame).toContain('Cases: 3 regressed, 1 unchanged.')
    expect(frame).toContain('Passed 1 of 4 (was 4 of 4), of the graded 25% (was 100%, −75 points)')
    expect(frame).toMatch(/Took .+ \(was .+, [+−±].+\), tokens 0 \(was 0, ±0\), cost —/)
    expect(frame).toContain('passed › failed')
    await app.see('Latency of 4 trials, before of 4')
    expect(app.frame()).toMatch(
      /least +p25 +p50 +p75 +p90 +p95 +most.*\n.*now(?: +\d\S*s){7} +[├░█─┤]+.*\n.*before(?: +\d\S*s){7} +[├░█─┤]+/,
    )
    expect(frame).toContain('now: failed, The server "sums" answered tools/call with error -32602')
    expect(frame).toContain('before: passed')
    expect(frame).not.toContain('has a process')
    await app.press(compare.unchanged)
    await app.see(/✓ unchanged +has a process/)
    await app.press(compare.figures)
    const all = await app.see('Counted by the runs')
    expect(all).toMatch(/Pass rate +25% \(was 100%, −75 points\)/)
    expect(all).toMatch(/Cost +—/)
    expect(all).toContain('Scorers, in shares of trials')
    await app.press(viewerKeys.bindings.last)
    await app.see(/ to \d+m?s +[━│─ ]+ \d, before \d/)
  })

  test('opens the deciding trial of either side, and going back returns to the comparison', async () => {
    await openRun({ runId: failedId, tab: 'compare' })
    await app.see(/✗ regressed +adds small numbers/)
    await app.press(compare.openBefore)
    await app.see(/▌Run #1.*✓ passed, 4\/4/)
    expect(app.router.current().params).toMatchObject({ runId: nightly.runId, tab: 'trial' })
    await app.press(appKeys.bindings.last)
    await app.see(/▌Run #2[^]*✗ regressed +adds small numbers/)
    await app.press(compare.openNow)
    await app.see(frame => !frame.includes('against #1'))
    expect(app.router.current().params).toMatchObject({ runId: failedId, tab: 'trial' })
    expect(app.frame()).toContain('adds small numbers')
  })

  test('compares with the chosen run, and says what to do if there is none', async () => {
    await openRun({ runId: nightly.runId, tab: 'compare' })
    await app.see('No baseline')
    await app.see('Press = to choose the run to compare with.')
    await app.press(compare.base)
    await app.see(/Compare with[^]*▌#2 +✗ failed/)
    await app.press(baseKeys.bindings.choose)
    await app.see('#1 ✓ passed against #2 ✗ failed, chosen')
    await app.see(/✓ fixed +adds small numbers/)
    await app.press(compare.base)
    await app.see('Compare with')
    await app.press(baseKeys.bindings.service)
    await app.see('No baseline')
  })

  test('is one key away from the list, against the marked run', async () => {
    await openRun({ runId: nightly.runId, pane: 'runs' })
    await app.see(/▌#1/)
    await app.press(listKeys.bindings.up)
    await app.see(/▌#2/)
    await app.press(listKeys.bindings.mark, listKeys.bindings.down)
    await app.see(/▌#1/)
    await app.press(keys.compare)
    await app.see('#1 ✓ passed against #2 ✗ failed, chosen')
  })

  test('fits 80 columns and 24 rows', async () => {
    await openRun({ runId: failedId, tab: 'compare' }, { width: 80, height: 24 })
    const frame = await app.see(/✗ regressed +adds small numbers[^]*adds large numbers[^]*adds nothing/)
    expect(frame).toContain('#2 ✗ failed against #1 ✓ passed')
    expect(frame).toContain('−75 points')
  })
})

describe('the doctor beside a failure', () => {
  test('a failing trial says what changed in its tool, and since when', async () => {
    await openRun({ runId: failedId, tab: 'trials' })
    await app.see(/▌✗ failed +adds/)
    await app.press(keys.open)
    await app.press('z')
    await app.see(/! Changed after run #1 \(.*\d\d:\d\d\): the schema of get-sum changed: `a` is now string/)
  })

  test('the summary says what changed, and compares the tools', async () => {
    await openRun({ runId: failedId, tab: 'summary' })
    await app.press('z')
    await app.see('sums: the schema of get-sum changed: `a` is now string (was number) (3 cases)')
    await app.press(keys.doctor)
    const frame = await app.see('must be string')
    expect(frame).toContain('From run #1 to run #2')
    expect(frame).toMatch(/\/properties\/a\/type +a is now string \(was number\)/)
    expect(frame).toContain('Used by 3 failing cases: adds small numbers, adds large numbers, adds nothing')
    expect(frame).toContain('✓ Nothing changed since.')
    expect(frame).toContain('✗ 3 of 3 calls of the failing cases do not fit the current tools:')
    expect(frame).toMatch(/adds small numbers: called get-sum: `a` must be string[^]*\(it fitted the tools of run #1\)/)
    await app.press(textOverlayKeys.bindings.close)
    nightly.drift(false)
    await app.press(keys.doctor)
    const mended = await app.see('The current tools accept all 3 calls of the failing cases.')
    expect(mended).toMatch(/From run #2 to now[^]*a is now number \(was string\)/)
    nightly.drift(true)
  })
})

describe('a rerun of failed cases', () => {
  test('previews cases by title with their costs, or says why there is nothing to run', async () => {
    await openRun({ runId: failedId, tab: 'summary' })
    await app.see('▌Run #2')
    await app.press(keys.rerun)
    const frame = await app.see('❯ Cancel')
    expect(frame).toContain('3 of 4 cases would run again.')
    expect(frame).toMatch(/Trials that select their case: 3 \S+/)
    expect(frame).toContain('Trials that do not count: 1 passed.')
    expect(frame).toMatch(/Last time these cases were 3 trials: .+ of work, 0 tokens\./)
    expect(frame).toContain('run slots')
    expect(frame).toMatch(/✗ adds small numbers[^]*✗ adds large numbers[^]*✗ adds nothing/)
    await app.press(confirmKeys.bindings.cancel)
    await app.see(now => !now.includes('❯ Cancel'))
    await app.close()
    await openRun({ runId: nightly.runId, tab: 'summary' })
    await app.see('▌Run #1')
    await app.press(keys.rerun)
    const refused = await app.see('No case of this run needs another try.')
    expect(refused).toContain('Trials that do not count: 4 passed.')
  })

  test('is followed to its end, when the comparison with its parent opens', async () => {
    nightly.drift(false)
    await openRun({ runId: failedId, tab: 'summary' })
    await app.see('▌Run #2')
    await app.press(keys.rerun)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('#3 ✓ passed against #2 ✗ failed, the run that it repeats')
    await app.press('z')
    await app.see('Of 3 cases that ran again: 3 fixed.')
    await app.see(/✓ fixed +adds small numbers[^]*✓ fixed +adds large numbers[^]*✓ fixed +adds nothing/)
    expect(app.frame()).not.toContain('not run again')
    await app.press(compare.unchanged)
    await app.see(/not run again +has a process/)
    nightly.drift(true)
  })

  test('that still fails is reported on another screen, even if the answer to its launch was lost', async () => {
    await openRun({ runId: failedId, tab: 'summary' })
    await app.see('▌Run #2')
    loseAnswer = true
    await app.press(keys.rerun)
    await app.see('❯ Cancel')
    const { items } = await testService.client.runs.list({ projectId, suiteId: nightly.suiteId })
    const before = items.length
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    const rerun = `#${before + 1}`
    await app.see(`▌Run ${rerun}`)
    app.router.go(serversRoute.to({ projectId }))
    await app.see(`Rerun ${rerun} failed. Of 3 cases that ran again: 3 still failing.`)
    app.router.go(runsRoute.to({ projectId }))
    await app.see('▌Suites')
    await app.see('nightly')
    await app.press(keys.compare)
    await app.see(`${rerun} ✗ failed against #2 ✗ failed, the run that it repeats`)
  })

  test('that is gone is no longer followed, and this is said', async () => {
    await openRun({ runId: failedId, tab: 'summary' })
    await app.see('▌Run #2')
    await app.press(keys.rerun)
    await app.see('❯ Cancel')
    await app.press(confirmKeys.bindings.next)
    isGone = true
    await app.press(confirmKeys.bindings.choose)
    await app.see('The rerun is gone, and how it ended is unknown.')
    isGone = false
  })
})
