import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { longCase, open, sandbox, until, untilEnded } from './harness.ts'

const { conformanceIngest, evalIngest, iterations, sessions, suites, runs } = contract

const project = { projectId: 'default' }

test('reported runs take no slot, and can be cancelled', async () => {
  const { api } = await open({ maxConcurrentRuns: 1 })
  const { projectId, serverId } = await sandbox(api)
  const opened = await Promise.all(
    [1, 2, 3].map(n => api.call(evalIngest.start, { ...project, body: { suiteName: `s${n}` } })),
  )
  const tests = [longCase('long', 60)]
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await api.call(evalIngest.start, { ...project, body: { suiteName: 's4' } })
  expect(await api.refused(runs.create, { projectId, body: { suiteId } })).toMatchObject({
    details: { reason: 'CONCURRENT_RUN_LIMIT', activeRunIds: [runId] },
  })
  await api.call(runs.cancel, { projectId, runId })
  const reported = opened[0]!['runId'] as string
  expect(await api.call(runs.cancel, { projectId, runId: reported })).toMatchObject({ status: 'cancelled' })
  expect(await api.call(evalIngest.finalize, { ...project, body: { runId: reported } })).toMatchObject({
    status: 'cancelled',
    reused: true,
  })
  await untilEnded(api, projectId, runId)
})

test('a run whose program no longer reports is ended without a verdict, and one that reports continues', async () => {
  const { api, store } = await open({ longestPauseMs: 20 })
  const { projectId } = await sandbox(api)
  const start = async (suiteName: string) => {
    const body = { suiteName, externalRunId: suiteName }
    const runId = (await api.call(evalIngest.start, { ...project, body }))['runId'] as string
    const batch = { runId, results: [{ caseTitle: 'a', passed: true }] }
    await api.call(evalIngest.iterations, { ...project, body: batch })
    return runId
  }
  const [silent, speaking] = [await start('silent'), await start('speaking')]
  const clock = new DatabaseSync(store.directory!.database)
  clock.prepare('UPDATE ingestRun SET heardAt = 1 WHERE runId = ?').run(silent)
  clock.close()
  const run = await until(
    () => api.call(runs.get, { projectId, runId: silent }),
    ({ status }) => status !== 'running',
  )
  expect(run).toMatchObject({
    status: 'failed',
    result: null,
    summary: { total: 1, passed: 1 },
    decisionSummary: {
      decision: null,
      verdict: 'notEstablished',
      undecided: { reason: 'stopped_early', message: expect.stringContaining('stopped reporting') },
    },
  })
  expect(await api.call(runs.get, { projectId, runId: speaking })).toMatchObject({ status: 'running' })
})

/** A document with some fields replaced by any JSON. */
function damaged(document: Record<string, unknown>) {
  const fields = fc.subarray(Object.keys(document), { minLength: 1, maxLength: 2 })
  return fc
    .tuple(fields, fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 2, maxLength: 2 }))
    .map(([names, values]) => ({
      ...document,
      ...Object.fromEntries(names.map((name, index) => [name, values[index]])),
    }))
}

test('whatever a program sends is stored, or refused with the field named, and reads keep working', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const result = {
    caseTitle: 'a',
    caseId: 'a',
    externalIterationId: 'i',
    query: 'q',
    passed: false,
    status: 'failed',
    startedAt: 1,
    durationMs: 1,
    provider: 'p',
    model: 'm',
    expectedToolCalls: [{ toolName: 't' }],
    actualToolCalls: [{ toolName: 't' }],
    tokens: { total: 1 },
    error: 'e',
    trace: 'x',
    isNegativeTest: true,
  }
  const report = { suiteName: 's', externalRunId: 'r', serverNames: [], passCriteria: {}, ci: {}, notes: 'n' }
  const check = { id: 'c', status: 'skipped', skipReason: 'x' }
  const group = { cases: [check] }
  const conformance = {
    requestedSuites: ['apps'],
    externalRunId: 'r',
    target: {},
    reports: { apps: { groups: [group] } },
  }
  const documents = fc.oneof(
    damaged(result).map(each => [evalIngest.report, { suiteName: 's', results: [each] }] as const),
    damaged(report).map(each => [evalIngest.report, { ...each, results: [result] }] as const),
    damaged(conformance).map(each => [conformanceIngest.report, each] as const),
    damaged(check).map(
      each => [conformanceIngest.report, { reports: { apps: { groups: [{ cases: [each] }] } } }] as const,
    ),
  )
  const known = new Set<string>()
  await fc.assert(
    fc.asyncProperty(documents, async ([endpoint, body]) => {
      const response = await api.send(endpoint, { ...project, body })
      const answer = (await response.json()) as { ok?: boolean; runId?: string; details?: object }
      if (response.ok) expect(answer).toMatchObject({ ok: true, runId: expect.any(String) })
      else if (response.status === 400) expect(answer).toMatchObject({ details: { field: expect.any(String) } })
      else expect({ body, status: response.status }).toEqual({ body, status: 409 })
      if (response.ok && endpoint === evalIngest.report) known.add(answer.runId!)
    }),
    { numRuns: 200 },
  )
  for (const runId of known) await api.call(iterations.list, { projectId, runId })
  expect((await api.call(sessions.list, { projectId, limit: 200 })).items.length).toBeGreaterThan(0)
  await api.call(contract.traceExports.otlp, { projectId, includeContent: true })
  await api.call(suites.list, { projectId })
})
