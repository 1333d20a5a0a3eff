import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { causeOf } from '../../src/domain/runs/causes.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { small, SMALL_SERVER, stdioTarget } from '../servers/targets.ts'
import { echoCase, longCase, open, sandbox, temporaryDirectory, until, untilEnded, type Api } from './harness.ts'
import { referenceServerOverHttp } from './reference-server.ts'

const { projects, runs, iterations, suites, cases, servers } = contract

async function launch(api: Api, projectId: string, body: object) {
  return (await api.call(runs.create, { projectId, body })).runId
}

/** A suite on the reference server with the given cases. */
async function suiteOf(api: Api, tests: object[]) {
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  return { projectId, serverId, suiteId }
}

/** Checks the expected result of the sandbox suite, which is the same over every transport. */
async function expectSandboxResult(api: Api, projectId: string, runId: string) {
  const run = await untilEnded(api, projectId, runId)
  expect(run).toMatchObject({
    status: 'completed',
    result: 'failed',
    summary: { total: 10, passed: 9, failed: 1, passRate: 0.9 },
    decisionSummary: { decision: 'failed', verdict: 'failed' },
    scoreIntegrity: 'valid',
  })
  expect(run.completedAt).toBeGreaterThanOrEqual(Number(run.createdAt))
  const { items } = await api.call(iterations.list, { projectId, runId, limit: 200 })
  expect(items).toHaveLength(15)
  const failed = items.filter(item => item.result === 'failed')
  expect(failed).toHaveLength(1)
  expect(failed[0]?.title).toContain('fails by design')
  const steps = await api.call(iterations.steps, { projectId, runId, iterationId: failed[0]!.id })
  expect(steps.items.map(step => step.status)).toEqual(['ok', 'fail'])
  expect(steps.items[1]?.reason).toContain('The sum of 2 and 2 is 5.')
  expect(steps.items[1]?.reason).toContain('The sum of 2 and 2 is 4.')
  const trace = await api.call(iterations.trace, { projectId, runId, iterationId: failed[0]!.id })
  expect(trace).toMatchObject({ class: 'failed', toolCalls: { actual: [{ toolName: 'get-sum' }] } })
}

describe('the sandbox suite', () => {
  test('runs over stdio with visible progress, fails in one case, and reruns only that case', async () => {
    const { api } = await open()
    const { projectId, suiteId, serverId } = await sandbox(api)
    const created = await api.call(runs.create, { projectId, body: { suiteId, notes: 'first' } })
    expect(created).toMatchObject({ suiteId, status: 'running', servers: [{ id: serverId, name: 'everything' }] })
    const { runId } = created
    const early = await api.call(runs.rerunPreview, { projectId, runId })
    expect(early).toMatchObject({ sourceTerminal: false, rerunnable: false })
    const halfway = await until(
      () => api.call(runs.get, { projectId, runId }),
      run => (run.summary?.passed ?? 0) > 0,
    )
    expect(halfway).toMatchObject({ status: 'running', result: null, notes: 'first', scoreIntegrity: null })
    await expectSandboxResult(api, projectId, runId)

    const preview = await api.call(runs.rerunPreview, { projectId, runId })
    expect(preview).toMatchObject({
      totalCaseCount: 10,
      selectedCaseCount: 1,
      reasons: { failed: 1 },
      excluded: { passed: 14 },
      rerunnable: true,
    })
    const again = await api.call(runs.rerun, { projectId, runId, body: { scope: 'failed_cases' } })
    const rerun = await untilEnded(api, projectId, again.runId!)
    expect(rerun).toMatchObject({
      status: 'completed',
      result: 'failed',
      runNumber: 2,
      summary: { total: 1, failed: 1 },
    })
    const { items } = await api.call(iterations.list, { projectId, runId: rerun.id })
    expect(items.map(item => item.testCaseId)).toEqual(preview.selectedCaseIds)

    const list = await api.send(runs.list, { projectId, suiteId })
    expect(((await list.json()) as { id: string }[]).map(({ id }) => id)).toEqual([rerun.id, runId])
    const compared = await api.call(runs.compare, { projectId, runId: rerun.id })
    expect(compared.baseline).toEqual({ policy: 'previous_completed', baseRunId: runId })
    expect(compared.cases.filter(entry => entry.status === 'removed_case')).toHaveLength(9)
    const [suite] = (await api.call(suites.list, { projectId })).items
    expect(suite).toMatchObject({ latestRun: { id: rerun.id, failed: 1 }, totals: { passed: 9, failed: 2, runs: 2 } })
    expect(suite?.passRateTrend).toEqual([0.9, 0])
  })

  test('runs over streamable HTTP', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await sandbox(api)
    const url = await referenceServerOverHttp()
    const [stdio] = (await api.call(servers.list, { projectId })).items
    await api.call(servers.update, { projectId, serverId: stdio!.id, body: { name: 'everything over stdio' } })
    const body = { name: 'everything', enabled: true, transportType: 'http', url }
    const http = await api.call(servers.create, { projectId, body })
    const runId = await launch(api, projectId, { suiteId, serverIds: [http.id] })
    await expectSandboxResult(api, projectId, runId)
  })
})

test('a run without a suite is made from inline tests and leaves a suite behind', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ ...echoCase('one', 'hi'), runs: 2, model: 'none', provider: 'none' }]
  const body = { suiteName: 'Inline', tests, serverIds: [serverId], passCriteria: { minimumPassRate: 0.5 } }
  const created = await api.call(runs.create, { projectId, body })
  expect(created.caseUpsert?.committed).toHaveLength(1)
  const run = await untilEnded(api, projectId, created.runId)
  expect(run).toMatchObject({ result: 'passed', summary: { total: 2, passed: 2 } })
  expect(run.decisionSummary?.measurementUnit).toBe('trials')
  expect(await api.call(suites.get, { projectId, suiteId: created.suiteId })).toMatchObject({
    name: 'Inline',
    settings: { minimumAccuracy: 50 },
    environment: { servers: ['everything'] },
  })
})

test('overrides filter and repeat cases for one run only', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await suiteOf(api, [echoCase('one', 'a'), echoCase('two', 'b')])
  const [first] = (await api.call(cases.list, { projectId, suiteId })).items
  const runId = await launch(api, projectId, { suiteId, caseIds: [first!.id], iterationOverride: 3 })
  await untilEnded(api, projectId, runId)
  const page = await api.call(iterations.list, { projectId, runId, limit: 2 })
  expect(page.items.map(item => item.iterationNumber)).toEqual([1, 2])
  const rest = await api.call(iterations.list, { projectId, runId, limit: 2, cursor: page.nextCursor })
  expect(rest.items.map(item => item.iterationNumber)).toEqual([3])
  expect(rest.nextCursor ?? undefined).toBeUndefined()
})

test('the launch rules of the contract are enforced', async () => {
  const { api } = await open()
  const { projectId, suiteId, serverId } = await suiteOf(api, [echoCase('one', 'a')])
  const refuse = (body: object) => api.refused(runs.create, { projectId, body })
  expect(await refuse({ suiteId, caseIds: ['cas_none'] })).toMatchObject({ status: 404 })
  expect(await refuse({ suiteId, environmentId: 'env_1' })).toMatchObject({
    status: 400,
    details: { reason: 'ENVIRONMENT_NOT_ATTACHED' },
  })
  expect(await refuse({ suiteId, environmentId: 'env_1', serverIds: [serverId] })).toMatchObject({
    details: { field: 'serverIds' },
  })
  expect(await refuse({ suiteId, serverIds: ['srv_none'] })).toMatchObject({ status: 404 })
  expect(await refuse({ suiteId, suiteName: 'x' })).toMatchObject({ details: { field: 'suiteName' } })
  expect(
    await refuse({ suiteId, matchOptionsOverride: { arguments: 'exact', argumentMatching: 'exact' } }),
  ).toMatchObject({ details: { field: 'matchOptionsOverride.argumentMatching' } })
  await api.call(suites.update, { projectId, suiteId, body: { environment: { servers: [] } } })
  expect(await refuse({ suiteId })).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    details: { reason: 'NO_SAVED_SERVER_SELECTION' },
  })
})

test('a used key answers with the first run, and another body under it is a conflict', async () => {
  const { api, settle } = await open()
  const { projectId, suiteId } = await suiteOf(api, [echoCase('one', 'a')])
  const headers = { 'idempotency-key': 'nightly-1' }
  const first = await api.call(runs.create, { projectId, body: { suiteId } }, { headers })
  const repeats = await Promise.all(
    Array.from({ length: 5 }, () => api.call(runs.create, { projectId, body: { suiteId } }, { headers })),
  )
  expect(new Set(repeats.map(({ runId }) => runId))).toEqual(new Set([first.runId]))
  expect(repeats.every(({ deduped }) => deduped === true)).toBe(true)
  const body = { suiteId, notes: 'other', idempotencyKey: 'ignored: the header wins' }
  expect(await api.refused(runs.create, { projectId, body }, { headers })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
  })
  await settle()
  const list = await api.call(runs.list, { projectId, suiteId })
  expect(list.items).toHaveLength(1)
})

test('the limit of concurrent runs is exact, and its refusal names who holds the slots', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await suiteOf(api, [longCase('long', 60)])
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => api.send(runs.create, { projectId, body: { suiteId } })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429, 429])
  const refusal = await api.refused(runs.create, { projectId, body: { suiteId } })
  const active = (await api.call(runs.list, { projectId, suiteId })).items.map(({ id }) => id)
  expect(refusal).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'CONCURRENT_RUN_LIMIT' } })
  expect(new Set(refusal.details?.['activeRunIds'] as string[])).toEqual(new Set(active))
  await api.call(runs.cancel, { projectId, runId: active[0] })
  const freed = await launch(api, projectId, { suiteId })
  expect(active).not.toContain(freed)
})

test('cancelling a running run keeps its results and ends the remaining trials', async () => {
  const { api, settle } = await open({ trialConcurrency: 2 })
  const tests = [echoCase('quick', 'a'), longCase('slow', 60), longCase('slower', 60), echoCase('waiting', 'b')]
  const { projectId, suiteId } = await suiteOf(api, tests)
  const runId = await launch(api, projectId, { suiteId })
  await until(
    () => api.call(iterations.list, { projectId, runId }),
    ({ items }) => items[0]?.status === 'completed' && items.filter(item => item.status === 'running').length === 2,
  )
  expect(await api.call(runs.cancel, { projectId, runId })).toMatchObject({
    status: 'cancelled',
    result: null,
    decisionSummary: { verdict: 'notEstablished', undecided: { reason: 'stopped_early' } },
  })
  await settle()
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(item => item.status)).toEqual(['completed', 'cancelled', 'cancelled', 'cancelled'])
  expect(await api.call(runs.cancel, { projectId, runId })).toMatchObject({ status: 'cancelled' })
  expect(await api.call(runs.rerunPreview, { projectId, runId })).toMatchObject({
    reasons: {},
    excluded: { passed: 1, cancelled: 3 },
    rerunnable: false,
  })
  expect(await api.refused(runs.rerun, { projectId, runId, body: { scope: 'failed_cases' } })).toMatchObject({
    status: 409,
  })
  const trace = await api.refused(iterations.trace, { projectId, runId, iterationId: items[3]!.id })
  expect(trace).toMatchObject({ status: 404, details: { reason: 'TRACE_NOT_AVAILABLE' } })
})

test('an ended run cannot be cancelled, or compared if there is no other run', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await suiteOf(api, [echoCase('one', 'a')])
  const runId = await launch(api, projectId, { suiteId })
  await untilEnded(api, projectId, runId)
  expect(await api.refused(runs.cancel, { projectId, runId })).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(await api.refused(runs.compare, { projectId, runId })).toMatchObject({
    status: 404,
    details: { reason: 'BASELINE_NOT_FOUND' },
  })
})

test('an ended run and its trials stay unchanged, and are found only in their project while it exists', async () => {
  const dataDir = temporaryDirectory()
  const { api } = await open({ dataDir })
  const { id: projectId } = await api.call(projects.create, { body: { name: 'Own' } })
  const { id: otherId } = await api.call(projects.create, { body: { name: 'Other' } })
  const transport = small('healthy').transport
  const body = { name: 'small', enabled: true, transportType: 'stdio', ...transport, type: undefined }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const tests = [echoCase('one', 'a'), echoCase('two', 'b')]
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const runId = await launch(api, projectId, { suiteId })
  const run = await untilEnded(api, projectId, runId)
  const page = await api.call(iterations.list, { projectId, runId, limit: 1 })
  expect(page.nextCursor).toBeDefined()

  const elsewhere = (await open({ dataDir })).api
  await elsewhere.call(suites.update, { projectId, suiteId, body: { name: 'Renamed' } })
  await elsewhere.call(cases.create, { projectId, suiteId, body: echoCase('three', 'c') })
  expect(await api.call(runs.get, { projectId, runId })).toEqual(run)
  expect(await api.call(iterations.list, { projectId, runId, limit: 1 })).toEqual(page)

  const expectNone = async (where: string) => {
    expect(await api.refused(runs.get, { projectId: where, runId })).toMatchObject({ status: 404 })
    expect(await api.refused(iterations.list, { projectId: where, runId, limit: 1 })).toMatchObject({ status: 404 })
  }
  await expectNone(otherId)
  await elsewhere.call(projects.delete, { projectId })
  await expectNone(projectId)
})

test('a server that cannot be started fails every trial in set-up, and the run', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const body = { name: 'gone', enabled: true, transportType: 'stdio', command: '/nonexistent/server' }
  const server = await api.call(servers.create, { projectId, body })
  const step = { id: 'a', kind: 'toolCall', serverName: 'gone', toolName: 'x' }
  const tests = [{ title: 'one', steps: [step], runs: 2, model: 'none', provider: 'none' }]
  const runId = await launch(api, projectId, { suiteName: 'Gone', tests, serverIds: [server.id] })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ status: 'failed', result: null })
  expect(await api.call(runs.rerunPreview, { projectId, runId })).toMatchObject({
    reasons: { setup_failed: 2 },
    rerunnable: true,
  })
})

test('a trial whose server dies during a call counts as failed in its execution', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { transport } = small('dies-in-call')
  const body = { name: 'dies', enabled: true, transportType: 'stdio', ...transport, type: undefined }
  const server = await api.call(servers.create, { projectId, body })
  const step = { id: 'a', kind: 'toolCall', serverName: 'dies', toolName: 'x' }
  const tests = [{ title: 'one', steps: [step], runs: 1, model: 'none', provider: 'none' }]
  const runId = await launch(api, projectId, { suiteName: 'Dies', tests, serverIds: [server.id] })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ status: 'completed', result: null })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items).toMatchObject([{ trialClass: 'execution_failed', error: expect.stringContaining('out of luck') }])
  expect(items.map(causeOf)).toEqual(['server'])
})

test('trials during which a server broke run again alone, and only the one that breaks it stays broken', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { transport } = stdioTarget([SMALL_SERVER, 'dies-under-calls', join(temporaryDirectory(), 'died')])
  const body = { name: 'dies', enabled: true, transportType: 'stdio', ...transport, type: undefined }
  const server = await api.call(servers.create, { projectId, body })
  const tests = ['wait', 'wait', 'end'].map((toolName, index) => ({
    title: `${toolName} ${index}`,
    steps: [
      { id: 'a', kind: 'toolCall', serverName: 'dies', toolName },
      { id: 'b', kind: 'assert', assertion: { type: 'noToolErrors' } },
    ],
    runs: 1,
    model: 'none',
    provider: 'none',
  }))
  const runId = await launch(api, projectId, { suiteName: 'Dies', tests, serverIds: [server.id] })
  await untilEnded(api, projectId, runId)
  const { items } = await api.call(iterations.list, { projectId, runId })
  const ranAgainAfter: unknown = expect.stringContaining('out of luck')
  expect(items).toMatchObject([
    { trialClass: 'passed', ranAgainAfter },
    { trialClass: 'passed', ranAgainAfter },
    { trialClass: 'execution_failed', ranAgainAfter, error: ranAgainAfter },
  ])
  const steps = await api.call(iterations.steps, { projectId, runId, iterationId: items[2]!.id })
  expect(steps.items.at(-1)).toMatchObject({ status: 'fail', reason: expect.stringContaining('no tool error') })
})

test('text that repeats settings of its server is graded unchanged, and stored without their credentials', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { transport } = small('telling')
  const env = { SERVICE_TOKEN: 'hush-0123456789', REGION: 'europe-west6' }
  const body = { name: 'telling', enabled: true, transportType: 'stdio', ...transport, env, type: undefined }
  const server = await api.call(servers.create, { projectId, body })
  const steps = [env.SERVICE_TOKEN, 'not there'].map(needle => [
    { id: 'a', kind: 'toolCall', serverName: 'telling', toolName: 'environment' },
    { id: 'b', kind: 'assert', assertion: { type: 'responseContains', needle } },
  ])
  const tests = steps.map((each, at) => ({ title: `${at}`, steps: each, runs: 1, model: 'none', provider: 'none' }))
  const runId = await launch(api, projectId, { suiteName: 'Telling', tests, serverIds: [server.id] })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ summary: { passed: 1, failed: 1 } })
  const { items } = await api.call(iterations.list, { projectId, runId })
  const { id: iterationId } = items.find(({ result }) => result === 'failed')!
  const place = { projectId, runId, iterationId }
  const trial = [items, await api.call(iterations.steps, place), await api.call(iterations.trace, place)]
  expect(JSON.stringify(trial)).toContain(env.REGION)
  expect(JSON.stringify(trial)).toContain('[secret]')
  expect(JSON.stringify(trial)).not.toContain(env.SERVICE_TOKEN)
})

test('a tool that echoes the access token is graded unchanged, and the trial is stored without the token', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const token = 'access-0123456789'
  const echoing = await startHttpServer({
    'tools/call': (message, { headers }, response) =>
      answer(response, message, { content: [{ type: 'text', text: `You sent ${headers.authorization}` }] }),
  })
  onTestFinished(() => echoing.close())
  const body = { name: 'echoing', enabled: true, transportType: 'http', url: echoing.url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const clientInformation = { clientId: 'mcpdeck' }
  const imported = { serverUrl: echoing.url, clientInformation, tokens: { access_token: token } }
  await api.call(servers.importTokens, { projectId, serverId, body: imported })
  const steps = [token, 'not there'].map(needle => [
    { id: 'a', kind: 'toolCall', serverName: 'echoing', toolName: 'count' },
    { id: 'b', kind: 'assert', assertion: { type: 'responseContains', needle } },
  ])
  const tests = steps.map((each, at) => ({ title: `${at}`, steps: each, runs: 1, model: 'none', provider: 'none' }))
  const runId = await launch(api, projectId, { suiteName: 'Echoing', tests, serverIds: [serverId] })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ summary: { passed: 1, failed: 1 } })
  const { items } = await api.call(iterations.list, { projectId, runId })
  const places = items.map(({ id }) => ({ projectId, runId, iterationId: id }))
  const trials = await Promise.all(
    places.map(async place => [await api.call(iterations.steps, place), await api.call(iterations.trace, place)]),
  )
  expect(JSON.stringify(trials)).toContain('You sent Bearer [secret]')
  expect(JSON.stringify([items, trials])).not.toContain(token)
})

test('the run history outlives its suite, but not its project', async () => {
  const { api, settle } = await open()
  const { projectId, suiteId } = await suiteOf(api, [longCase('long', 60)])
  const runId = await launch(api, projectId, { suiteId })
  await api.call(suites.delete, { projectId, suiteId })
  expect(await api.call(runs.get, { projectId, runId })).toMatchObject({ suiteId, status: 'running' })
  expect(await api.refused(runs.list, { projectId, suiteId })).toMatchObject({ status: 404 })
  await api.call(contract.projects.delete, { projectId })
  await settle()
  expect(await api.refused(runs.get, { projectId, runId })).toMatchObject({ status: 404 })
})

test.each([false, true])('a thousand cases do not block the event loop (executed here: %s)', async here => {
  const { api } = await open({ executeHere: here })
  const { projectId, suiteId } = await suiteOf(api, [echoCase('0', '0')])
  for (let batch = 0; batch < 10; batch += 1) {
    const entries = Array.from({ length: 100 }, (_, index) => echoCase(`${batch}-${index}`, `m${batch}-${index}`))
    const { failed } = await api.call(cases.createBatch, { projectId, suiteId, body: { cases: entries } })
    expect(failed).toEqual([])
  }
  const runId = await launch(api, projectId, { suiteId })
  const seen = new Set<number>()
  const run = await until(
    () => api.call(runs.get, { projectId, runId }),
    ({ status, summary }) => {
      seen.add(summary?.passed ?? 0)
      return status === 'completed'
    },
  )
  expect(run).toMatchObject({ result: 'passed', summary: { total: 1001, passed: 1001 } })
  // Other requests are answered meanwhile, so the progress between start and end is visible.
  expect(seen.size).toBeGreaterThan(3)
})
