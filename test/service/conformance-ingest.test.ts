import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, until, type Api } from './harness.ts'

const { conformanceIngest } = contract
const project = { projectId: 'default' }

const check = (id: string, status: string, skipReason?: string) => ({
  id,
  title: id,
  status,
  ...(skipReason !== undefined && { skipReason }),
})

/** One suite's report with the given checks. */
function suiteReport(...cases: object[]) {
  return { schemaVersion: 1, name: 'x', passed: true, durationMs: 5, groups: [{ id: 'g', cases }] }
}

const green = suiteReport(check('a', 'passed'), check('b', 'skipped', 'not-applicable'))
const red = suiteReport(check('a', 'passed'), check('c', 'failed'))
const notApplicable = suiteReport(check('e', 'skipped', 'not-applicable'))
const untested = suiteReport(check('a', 'passed'), check('d', 'skipped', 'could-not-run'))

async function start(api: Api, more: object = {}): Promise<string> {
  const body = { requestedSuites: ['protocol', 'oauth'], source: 'cli', ...more }
  return (await api.call(conformanceIngest.start, { ...project, body }))['runId'] as string
}

function put(api: Api, runId: string, suiteKind: string, report: object) {
  const body = { runId, suiteKind, report, durationMs: 5 }
  return api.call(conformanceIngest.upsertReport, { ...project, body })
}

test('reports in pieces are combined into an outcome when the run is finalized', async () => {
  const { api } = await open()
  for (const [reports, outcome] of [
    [{ protocol: green, oauth: green }, 'passed'],
    [{ protocol: green, oauth: red }, 'failed'],
    [{ protocol: green, oauth: untested }, 'incomplete'],
    [{ protocol: green }, 'incomplete'],
    [{}, 'incomplete'],
    [{ protocol: suiteReport(), oauth: notApplicable }, 'incomplete'],
  ] as const) {
    const runId = await start(api)
    for (const [suiteKind, report] of Object.entries(reports)) {
      expect(await put(api, runId, suiteKind, report)).toMatchObject({ ok: true, unchanged: false })
      const alive = { ...project, body: { runId } }
      expect(await api.call(conformanceIngest.heartbeat, alive)).toMatchObject({ ok: true, status: 'running' })
    }
    const finalize = () => api.call(conformanceIngest.finalize, { ...project, body: { runId } })
    const ended = await finalize()
    expect(ended).toMatchObject({ ok: true, runId, status: 'completed', outcome, uploadedSuites: Object.keys(reports) })
    expect(await finalize()).toEqual(ended)
  }
})

test('a report may be sent twice, but other content under its name is a conflict', async () => {
  const { api } = await open()
  const runId = await start(api)
  const first = await put(api, runId, 'protocol', green)
  expect(await put(api, runId, 'protocol', green)).toEqual({ ...first, unchanged: true })
  const refuse = (suiteKind: string, report: object) =>
    api.refused(conformanceIngest.upsertReport, { ...project, body: { runId, suiteKind, report } })
  expect(await refuse('protocol', red)).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    details: { field: 'report', contentHash: first['contentHash'] },
  })
  expect(await refuse('tasks', green)).toMatchObject({ status: 400, details: { field: 'suiteKind' } })
  const ended = await api.call(conformanceIngest.finalize, { ...project, body: { runId } })
  expect(ended).toMatchObject({ counts: { passed: 1, failed: 0, couldNotRun: 0, notApplicable: 1 } })
  expect(await put(api, runId, 'protocol', green)).toMatchObject({ unchanged: true })
  expect(await refuse('oauth', green)).toMatchObject({ status: 409, details: { status: 'completed' } })
  expect(await api.refused(conformanceIngest.heartbeat, { ...project, body: { runId } })).toMatchObject({ status: 409 })
})

test('an external id opens one run, and other suites under it are a conflict', async () => {
  const { api } = await open()
  const opening = { requestedSuites: ['apps', 'protocol', 'apps'], externalRunId: 'gh-1' }
  const first = await api.call(conformanceIngest.start, { ...project, body: opening })
  expect(first).toMatchObject({ requestedSuites: ['apps', 'protocol'], status: 'running', reused: false })
  const turned = { ...opening, requestedSuites: ['protocol', 'apps'] }
  const again = await api.call(conformanceIngest.start, { ...project, body: turned })
  expect(again).toEqual({ ...first, reused: true })
  const other = { ...opening, requestedSuites: ['oauth'] }
  expect(await api.refused(conformanceIngest.start, { ...project, body: other })).toMatchObject({
    status: 409,
    details: { field: 'requestedSuites' },
  })
})

test('a whole report can be sent in one call, and repeated', async () => {
  const { api } = await open()
  const body = {
    requestedSuites: ['protocol', 'apps'],
    externalRunId: 'once',
    reports: { protocol: green, apps: red },
    target: { kind: 'external', serverUrl: 'https://mcp.test' },
  }
  const send = (more: object = {}) => api.call(conformanceIngest.report, { ...project, body: { ...body, ...more } })
  const first = await send()
  expect(first).toMatchObject({ ok: true, status: 'completed', outcome: 'failed', reused: false })
  expect(await send()).toEqual({ ...first, reused: true })
  const changed = { ...body, reports: { protocol: red } }
  expect(await api.refused(conformanceIngest.report, { ...project, body: changed })).toMatchObject({ status: 409 })
})

test('an invalid conformance report is refused by its field', async () => {
  const { api } = await open()
  const runId = await start(api)
  for (const [endpoint, body, field] of [
    [conformanceIngest.start, { requestedSuites: [] }, 'requestedSuites'],
    [conformanceIngest.start, { requestedSuites: ['no spaces'] }, 'requestedSuites.0'],
    [conformanceIngest.report, { requestedSuites: ['apps'] }, 'reports'],
    [conformanceIngest.report, { reports: { apps: {} } }, 'reports.apps.groups'],
    [conformanceIngest.upsertReport, { suiteKind: 'oauth', report: green }, 'runId'],
    [conformanceIngest.upsertReport, { runId, report: green }, 'suiteKind'],
    [
      conformanceIngest.upsertReport,
      { runId, suiteKind: 'oauth', report: suiteReport(check('a', 'maybe')) },
      'report.groups.0.cases.0.status',
    ],
    [conformanceIngest.heartbeat, {}, 'runId'],
    [conformanceIngest.finalize, { runId: 5 }, 'runId'],
  ] as const)
    expect({ body, ...(await api.refused(endpoint, { ...project, body })) }).toMatchObject({
      body,
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field },
    })
  const unknown = { ...project, body: { runId: 'cnf_none' } }
  expect(await api.refused(conformanceIngest.finalize, unknown)).toMatchObject({ status: 404 })
})

test('a conformance run whose program no longer reports is settled, whatever it had reported', async () => {
  const { api, store } = await open({ longestPauseMs: 20 })
  const [silent, broken, alive] = [await start(api), await start(api), await start(api)]
  await put(api, silent, 'protocol', green)
  await put(api, broken, 'protocol', red)
  const clock = new DatabaseSync(store.directory!.database)
  clock.prepare('UPDATE conformanceRun SET heardAt = 1 WHERE id IN (?, ?)').run(silent, broken)
  clock.close()
  // A heartbeat would keep a run alive, so the test reads the record itself.
  await until(
    () => store.read(() => store.conformanceRuns.silentSince(2)),
    rows => rows.length === 0,
  )
  const beat = async (runId: string) =>
    (await api.send(conformanceIngest.heartbeat, { ...project, body: { runId } })).status
  expect([await beat(silent), await beat(broken), await beat(alive)]).toEqual([409, 409, 200])
  const end = (runId: string) => api.call(conformanceIngest.finalize, { ...project, body: { runId } })
  expect(await end(silent)).toMatchObject({ status: 'abandoned', outcome: 'incomplete' })
  expect(await end(broken)).toMatchObject({ status: 'abandoned', outcome: 'failed' })
})
