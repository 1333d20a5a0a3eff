import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { record, set, sighting } from '../../../test/service/graded-waves.ts'
import { until } from '../../../test/service/harness.ts'
import { contract } from '../../api/contract/contract.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import { createSeen, seenKey } from '../../domain/seen/seen.ts'
import { systemClock } from '../../lib/clock.ts'
import { storedInMemory } from '../../lib/files/profile-store.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { confirmKeys, fieldKeys, panesKeys } from '../../components/component-keys.ts'
import { jsonOverlayKeys } from '../../components/json/json-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { notebookKeys } from '../notebook/bindings.ts'
import { notebookRoute } from '../notebook/route.ts'
import { findingsRoute } from '../findings/route.ts'
import { nowKeys, nowProjectsKeys } from './bindings.ts'
import { nowRoute } from './route.ts'

let testService: TestService
let app: TestApp
let projectId: string
/** Id of a run that ended with a failing trial, as the sample suite does on purpose. */
let runId: string
/** Requests whose path contains this are refused. */
let refused: string | undefined
/** The status that the service gives every run that is completed, as JSON. */
let status: string | undefined
/** Paths of the reads since the test started to count. */
let paths: string[] = []

beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      const { pathname } = new URL(request.url)
      paths.push(pathname)
      if (status !== undefined && request.method === 'GET') {
        const answer = await fetch(request)
        const body = typeof answer.body === 'string' ? answer.body : ''
        const { status: code, headers } = answer
        return { status: code, headers, body: body.replaceAll('"status":"completed"', `"status":${status}`) }
      }
      if (refused === undefined || !pathname.includes(refused)) return await fetch(request)
      const body = JSON.stringify({ code: 'INTERNAL_ERROR', message: 'broken on purpose' })
      return new Response(body, { status: 418, headers: { 'content-type': 'application/json' } })
    },
  })
  const { client } = testService
  projectId = (await client.projects.list()).items[0]!.id
  await client.projects.create({ body: { name: 'Elsewhere' } })
  runId = await ended()
}, 60_000)
afterAll(() => testService.close())
afterEach(() => {
  refused = undefined
  status = undefined
  return app.close()
})

async function ended(): Promise<string> {
  const { client } = testService
  const [suite] = (await client.suites.list({ projectId })).items
  const run = await client.runs.create({ projectId, body: { suiteId: suite!.id } })
  await until(
    () => client.runs.get({ projectId, runId: run.runId }),
    ({ status }) => isTerminalRunStatus(status),
  )
  return run.runId
}

async function openNow(params: Record<string, string> = {}, size?: { width: number; height: number }) {
  app = await openApp({ testService, place: nowRoute.to(params), ...(size && { size }) })
}

const FAILED = '✗ run failed'

describe('the screen Now', () => {
  test('shows a failed run of any project, counts it in the tab, and opens it; Back returns to its line', async () => {
    await openNow()
    await app.see(FAILED)
    expect(app.frame()).toContain('[1 Now 1]')
    await app.see('2 projects, read just now')
    await app.see('Reference server smoke #1 failed:')
    await app.press(nowKeys.bindings.open)
    await app.see('[4 Runs]')
    expect(app.router.current()).toMatchObject({ screen: 'runs', params: { projectId, runId } })
    expect(app.frame()).toContain('1 Now 1')
    await app.press(appKeys.bindings.last)
    await app.see('[1 Now 1]')
    expect(app.row(FAILED)).toContain('▌high')
    expect(app.router.current().params['line']).toContain(`suite ${projectId} `)
  })

  test('the selected sentence is shown below the lines if no pane beside them has it, and there is room', async () => {
    await openNow({}, { width: 80, height: 24 })
    await app.see(/smoke #1 failed:.*…/)
    await app.see(/ ─ run failed ─+[^…]*smoke #1 failed: [^…]*Enter opens the run\.[^…]*╰/)
    await app.resize({ width: 120, height: 24 })
    await app.see(/┬ run failed ─+/)
    expect(app.frame().split('Enter opens the run.')).toHaveLength(2)
  })

  test('lines get the whole width before a pane stands beside them; the selected one is below in full', async () => {
    await openNow({}, { width: 120, height: 40 })
    await app.see(/▌high +✗ run failed +Reference server smoke #1 failed: 9 of 10 case executions passed +Sandbox +now/)
    await app.see(/├ run failed ─+┤/)
    await app.see('Enter opens the run.')
  })

  test('control characters in a status of the service are not sent to the terminal', async () => {
    status = JSON.stringify('a\u001b[31mb')
    await openNow({}, { width: 80, height: 24 })
    await app.see('Enter opens the run.')
    await app.see(/ ─ run a/)
    expect(app.frame()).not.toContain('\u001b[31m')
  })

  test('an acknowledged line is hidden, shown on request, and can be restored', async () => {
    await openNow()
    await app.see(FAILED)
    await app.press(nowKeys.bindings.acknowledge)
    await app.see('1 acknowledged is hidden')
    expect(app.frame()).toContain('[1 Now]')
    await app.press(nowKeys.bindings.acknowledged)
    await app.see(/▌acked +✗ run failed/)
    await app.press(nowKeys.bindings.acknowledge)
    await app.see(/▌high +✗ run failed/)
    expect(app.frame()).toContain('[1 Now 1]')
  })

  test('marks lines that are new or changed since the last look, and sums them up with the time', async () => {
    const before = { at: Date.now() - 9 * 60 * 60_000, whole: true, rows: new Map([['suite gone', 'x']]) }
    const stored = storedInMemory(seenKey, new Map([['now', before]]))
    app = await openApp({ testService, place: nowRoute.to(), seen: createSeen({ stored, clock: systemClock }) })
    await app.see(FAILED)
    await app.see(/1 new, 1 gone since you last looked at/)
    await app.see('1 new in 9h')
  })

  test('a shift report is shown, then written for the owner only; the notebook leads to it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-shift-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'shift.md')
    app = await openApp({ testService, place: notebookRoute.to() })
    await app.see('No incidents yet.')
    await app.press(notebookKeys.bindings.report)
    await app.see('12 hours ago')
    await app.see(FAILED)
    await app.press(fieldKeys.bindings.submit, fieldKeys.bindings.submit)
    await app.see('# Shift report of local')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(/shift-\d{4}-\d\d/)
    await app.press(fieldKeys.bindings.clear)
    await app.type(file)
    await app.press(fieldKeys.bindings.submit)
    await app.see('Wrote ')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/## What broke, and is still red\n\n- run failed: Reference server smoke #1 failed/)
    expect(text).toContain(`mcpdeck://local/projects/${projectId}/runs/${runId}`)
  })

  test('keys for the selected thing act on what the selected line is about', async () => {
    await openNow()
    await app.see(FAILED)
    await app.see('Enter opens the run')
    await app.press(appKeys.bindings.copyId, appKeys.bindings.copyLink)
    expect(app.copied[0]).toBe(runId)
    expect(app.copied[1]).toContain(`mcpdeck://local/projects/${projectId}/runs/${runId}`)
    await app.press(appKeys.bindings.raw)
    await app.see('"suiteId"')
    await app.press(jsonOverlayKeys.bindings.close)
  })

  test('the choice of projects is stored, and other projects are not read', async () => {
    await openNow()
    await app.see(FAILED)
    await app.press(nowKeys.bindings.projects)
    await app.see('Show the marked projects')
    await app.see(/▌(Elsewhere|Sandbox)/)
    if (app.frame().includes('▌Sandbox')) await app.press(listKeys.bindings.down)
    await app.press(listKeys.bindings.mark, nowProjectsKeys.bindings.accept)
    await app.see('All clear at')
    await app.see('1 of 2 projects, read just now')
    await app.close()
    paths = []
    await openNow()
    await app.see('All clear at')
    expect(paths.filter(path => path.includes(projectId))).toEqual([])
    await app.close()
    const { store } = testService.service
    set(store, 'gate.swarms', 'off')
    onTestFinished(() => set(store, 'gate.swarms', 'on'))
    await openNow()
    await app.see(/can be read: swarm[^]*findings[^]*off in Elsewhere/)
    await app.see('mcpdeck serve gate swarms on')
    expect(app.frame()).not.toContain('All clear')
    await app.press(nowKeys.bindings.projects, nowProjectsKeys.bindings.all)
    await app.see(FAILED)
  })

  test('an error of one source is shown with its name and removes no other line', async () => {
    refused = 'journey-findings'
    await openNow({ pane: 'detail' })
    await app.see(FAILED)
    await app.see('! Not read: swarm findings in')
    await app.see(/✗ swarm findings in (Sandbox|Elsewhere)/)
  })

  test('says why if nothing can be read', async () => {
    refused = '/projects'
    await openNow()
    await app.see(/✗ /)
    expect(app.frame()).not.toContain('All clear')
  })

  test('a running run shows its progress and then its end, while the selected line stays selected', async () => {
    await openNow({}, { width: 200, height: 40 })
    await app.see(FAILED)
    await app.press(listKeys.bindings.down)
    paths = []
    const { client } = testService
    const [suite] = (await client.suites.list({ projectId })).items
    await client.runs.create({ projectId, body: { suiteId: suite!.id } })
    await app.press(appKeys.bindings.refresh)
    await app.see(/low +[●○] run (running|pending) +Reference server smoke #2: (\d+ of \d+|no trial|progress)/)
    expect(app.frame()).toMatch(/▌high +✗ run failed +Reference server smoke #1/)
    await app.see(/▌high +✗ run failed +Reference server smoke #2 failed/)
    await app.see(/passed; failed since #1/)
    expect(app.frame()).not.toContain('Reference server smoke #1 failed')
    // The counts in the run's own record are enough, so its trials are not read.
    expect(paths.filter(path => path.endsWith('/iterations'))).toEqual([])
  }, 40_000)

  test('all pages of findings are read, since returned ones are old; opening them shows them at once', async () => {
    const { store } = testService.service
    const old = sighting('old problem')
    const others = Array.from({ length: 120 }, (_, index) => sighting(`goal ${index}`))
    record(store, { projectId, waveId: 'w1', at: Date.now() - 3000 }, [old])
    record(store, { projectId, waveId: 'w2', at: Date.now() - 2000 }, [])
    record(store, { projectId, waveId: 'w3', at: Date.now() - 1000 }, [old, ...others])
    await openNow()
    await app.see(/▌?high +✗ regressed +old problem/)
    await app.see(/Now \d+ of 12\d ─+[╮┬]/)
    await app.press(listKeys.bindings.filter)
    await app.type('problem')
    await app.press(fieldKeys.bindings.submit)
    await app.see(/▌high +✗ regressed +old problem/)
    refused = 'journey-findings'
    await app.press(nowKeys.bindings.open)
    await app.see('[5 Findings]')
    await app.see(/✗ regressed[^]*What happened/)
    await app.press(appKeys.bindings.last)
    await app.see('[1 Now')
    await app.press(nowKeys.bindings.acknowledge)
    await app.see('1 acknowledged')
    expect(app.frame()).not.toContain('gone')
  })

  test('nothing more is read once another screen is open', async () => {
    await openNow()
    await app.see(FAILED)
    app.router.go(findingsRoute.to())
    await app.see('No project is chosen, so there are no findings to show.')
    await app.press('2')
    await app.see('[2 Projects')
    await app.see('all but: delete any')
    const polled = contract.journeyFindings.list.path.split('/').at(-1)!
    paths = []
    await app.press(appKeys.bindings.refresh)
    await app.see('all but: delete any')
    expect(paths.filter(path => path.endsWith(polled))).toEqual([])
  })

  test('Now is usable at 80×24: one pane at a time, the other one with Tab', async () => {
    await openNow({}, { width: 80, height: 24 })
    await app.see(FAILED)
    expect(
      app
        .frame()
        .split('\n')
        .every(line => [...line].length <= 80),
    ).toBe(true)
    expect(app.frame()).toContain('8 Notebook')
    expect(app.row(FAILED)).toMatch(/Reference server smoke.*Sandbox/)
    await app.press(panesKeys.bindings.next)
    await app.see('Checked')
    await app.press(panesKeys.bindings.previous, listKeys.bindings.filter)
    await app.type('nothing like it')
    await app.see('Nothing matches')
    await app.press(fieldKeys.bindings.cancel)
  })
})
