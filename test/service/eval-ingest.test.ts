import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { open, sandbox, type Api } from './harness.ts'

const { evalIngest, suites, cases, runs, iterations, projects } = contract

const project = { projectId: 'default' }
const call = (toolName: string, args: object = {}) => ({ toolName, arguments: args })

/** A finished run as the reporter of the SDK sends it. */
function report(more: object = {}) {
  return {
    suiteName: 'From CI',
    serverNames: ['everything', 'unknown here'],
    framework: 'vitest',
    ci: { branch: 'main', commitSha: 'abc123', runUrl: 'https://ci.test/1' },
    results: [
      {
        caseTitle: 'adds',
        query: 'What is 19 + 23?',
        passed: true,
        durationMs: 1200,
        provider: 'openai',
        model: 'gpt-x',
        expectedToolCalls: [call('get-sum', { a: 19, b: 23 })],
        actualToolCalls: [call('get-sum', { a: 19, b: 23 })],
        tokens: { input: 100, output: 20, total: 120 },
        trace: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'What is 19 + 23?' },
          { role: 'assistant', content: [{ type: 'text', text: 'It is 42.' }] },
        ],
      },
      { caseTitle: 'adds', query: 'What is 19 + 23?', passed: true, provider: 'openai', model: 'gpt-x' },
      { caseTitle: 'fails', passed: false, error: 'expected 4\nbut got 5', errorDetails: 'at line 3' },
    ],
    ...more,
  }
}

async function send(api: Api, body: object) {
  return (await api.call(evalIngest.report, { ...project, body })) as {
    runId: string
    suiteId: string
    projectId: string
  } & Record<string, unknown>
}

test('a report becomes a suite, a graded run and iterations that every read returns', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const answer = await send(api, report())
  const { runId, suiteId } = answer
  expect(answer).toMatchObject({
    ok: true,
    projectId,
    status: 'completed',
    result: 'failed',
    summary: { total: 2, passed: 1, failed: 1, passRate: 0.5 },
    reused: false,
  })
  const run = await api.call(runs.get, { projectId, runId })
  expect(run).toMatchObject({
    suiteId,
    source: 'sdk',
    runNumber: 1,
    notes: 'main · abc123 · https://ci.test/1',
    client: { id: null, name: 'vitest', source: 'sdk' },
    decisionSummary: { decision: 'failed', verdict: 'failed', counts: { trials: { total: 3, passed: 2 } } },
  })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items).toMatchObject([
    {
      title: 'adds',
      iterationNumber: 1,
      status: 'completed',
      result: 'passed',
      durationMs: 1200,
      tokensUsed: 120,
      usage: { inputTokens: 100, outputTokens: 20 },
      model: 'gpt-x',
      actualToolCalls: [{ toolName: 'get-sum', arguments: { a: 19, b: 23 } }],
      expectedToolCalls: [{ toolName: 'get-sum' }],
      scores: [{ status: 'skipped' }],
    },
    { title: 'adds', iterationNumber: 2, result: 'passed' },
    { title: 'fails', iterationNumber: 1, result: 'failed', error: 'expected 4 but got 5' },
  ])
  expect(items[1]?.testCaseId).toBe(items[0]?.testCaseId)
  const [first, , failed] = items
  const trace = await api.call(iterations.trace, { projectId, runId, iterationId: first!.id })
  expect(trace).toMatchObject({
    finalText: 'It is 42.',
    messages: [{ role: 'user' }, { role: 'assistant' }],
    toolCalls: { matched: [{ expected: { toolName: 'get-sum' } }], missing: [], extra: [] },
  })
  const steps = await api.call(iterations.steps, { projectId, runId, iterationId: failed!.id })
  expect(steps.items).toMatchObject([
    { kind: 'prompt', status: 'fail', reason: 'expected 4 but got 5', evidence: { details: 'at line 3' } },
  ])
  const suite = await api.call(suites.get, { projectId, suiteId })
  expect(suite).toMatchObject({ name: 'From CI', environment: { servers: ['everything'] } })
  const written = await api.call(cases.list, { projectId, suiteId })
  expect(written.items).toMatchObject([
    { id: first!.testCaseId, title: 'adds', steps: [{ kind: 'prompt', prompt: 'What is 19 + 23?' }] },
    { title: 'fails' },
  ])

  const fixed = report({ results: [...report().results.slice(0, 2), { caseTitle: 'fails', passed: true }] })
  const second = await send(api, fixed)
  expect(second).toMatchObject({ suiteId, result: 'passed' })
  const compared = await api.call(runs.compare, { projectId, runId: second.runId })
  expect(compared.cases.map(({ title, status }) => [title, status])).toEqual([
    ['adds', 'unchanged_passed'],
    ['fails', 'fixed'],
  ])
  const list = await api.call(runs.list, { projectId, suiteId })
  expect(list.items.map(({ id }) => id)).toEqual([second.runId, runId])
  expect(await api.call(runs.rerunPreview, { projectId, runId })).toMatchObject({
    selectedCaseIds: [failed!.testCaseId],
    sourceTerminal: true,
    rerunnable: false,
  })
  const body = { scope: 'failed_cases' }
  expect(await api.refused(runs.rerun, { projectId, runId, body })).toMatchObject({
    status: 409,
    message: expect.stringContaining('rerun its cases there'),
  })
})

test('in a report in pieces, start, batches and finalize can be repeated', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const body = { suiteName: 'Nightly', externalRunId: 'ci-1', passCriteria: { minimumPassRate: 0.6 } }
  const started = await api.call(evalIngest.start, { ...project, body })
  expect(started).toMatchObject({ ok: true, status: 'running', result: null, reused: false })
  const runId = started['runId'] as string
  expect(await api.call(evalIngest.start, { ...project, body })).toMatchObject({ runId, reused: true })
  const results = [1, 2, 3].map(n => ({ caseTitle: `case ${n}`, passed: n !== 3, externalIterationId: `ci-1-${n}` }))
  const batch = { runId, results: results.slice(0, 2) }
  const send = (more: object) => api.call(evalIngest.iterations, { ...project, body: { ...batch, ...more } })
  expect(await send({})).toMatchObject({ ok: true, inserted: 2, skipped: 0, total: 2 })
  expect(await api.call(runs.get, { projectId, runId })).toMatchObject({
    status: 'running',
    summary: { total: 2, passed: 2 },
    decisionSummary: { verdict: 'notEstablished', undecided: { reason: 'unfinished' } },
  })
  expect(await send({ results })).toMatchObject({ inserted: 1, skipped: 2, total: 3 })
  const finalize = { runId, externalRunId: 'ci-1' }
  const ended = await api.call(evalIngest.finalize, { ...project, body: finalize })
  expect(ended).toMatchObject({
    status: 'completed',
    result: 'passed',
    summary: { total: 3, passed: 2, failed: 1 },
    reused: false,
  })
  const { reused: _reused, ...same } = ended
  const again = await api.call(evalIngest.finalize, { ...project, body: { externalRunId: 'ci-1' } })
  expect(again).toEqual({ ...same, reused: true })
  expect(await send({ results })).toMatchObject({ inserted: 0, skipped: 3 })
  const late = { runId, results: [{ caseTitle: 'late', passed: true }] }
  expect(await api.refused(evalIngest.iterations, { ...project, body: late })).toMatchObject({
    status: 400,
    details: { field: 'runId' },
  })
  expect(await api.call(evalIngest.start, { ...project, body })).toMatchObject({
    runId,
    reused: true,
    status: 'completed',
    result: 'passed',
  })
  const whole = { ...body, results: [{ caseTitle: 'other', passed: false }] }
  expect(await api.call(evalIngest.report, { ...project, body: whole })).toMatchObject({
    runId,
    reused: true,
    result: 'passed',
  })
  expect((await api.call(iterations.list, { projectId, runId })).items).toHaveLength(3)
})

test('without a verdict of the program, expected calls are judged here, and errors are separate', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const expectedToolCalls = [call('echo', { message: 'a' })]
  const { runId } = await send(api, {
    suiteName: 'Unjudged',
    results: [
      { caseTitle: 'called', expectedToolCalls, toolCalls: [{ name: 'echo', args: { message: 'a', b: 1 } }] },
      { caseTitle: 'not called', expectedToolCalls, actualToolCalls: [call('other')] },
      { caseTitle: 'quiet', isNegativeTest: true, actualToolCalls: [] },
      { caseTitle: 'broken', status: 'error', error: 'no network' },
      { caseTitle: 'slow', status: 'timed_out' },
      { caseTitle: 'left out', status: 'skipped' },
      { caseTitle: 'quiet by accident', isNegativeTest: true, error: 'connect ECONNREFUSED' },
      {
        caseTitle: 'broken after its call',
        expectedToolCalls,
        actualToolCalls: expectedToolCalls,
        error: 'the agent crashed',
      },
      { caseTitle: 'broken before its call', expectedToolCalls, error: 'no network' },
      { caseTitle: 'without any error', isNegativeTest: true, error: ' ' },
    ],
  })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(item => [item.title, item.status, item['trialClass']])).toEqual([
    ['called', 'completed', 'passed'],
    ['not called', 'completed', 'failed'],
    ['quiet', 'completed', 'passed'],
    ['broken', 'failed', 'execution_failed'],
    ['slow', 'failed', 'timed_out'],
    ['left out', 'failed', 'skipped'],
    ['quiet by accident', 'failed', 'execution_failed'],
    ['broken after its call', 'failed', 'execution_failed'],
    ['broken before its call', 'completed', 'failed'],
    ['without any error', 'completed', 'passed'],
  ])
  expect(items[1]?.error).toContain('expected at least 1 call')
  expect(items[3]?.error).toBe('no network')
  expect(items[6]?.error).toBe('connect ECONNREFUSED')
  const preview = await api.call(runs.rerunPreview, { projectId, runId })
  expect(preview).toMatchObject({
    reasons: { failed: 2, execution_failed: 3, timed_out: 1 },
    excluded: { passed: 3, skipped: 1 },
  })
})

test('older runs of a suite follow page by page after the named run of that suite only', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const sent = [await send(api, report()), await send(api, report()), await send(api, report())]
  const [first, second, third] = sent.map(({ runId }) => runId)
  const { suiteId } = sent[0]!
  const page = await api.call(runs.older, { projectId, suiteId, before: third!, limit: 1 })
  expect(page).toMatchObject({ items: [{ id: second }], nextCursor: second })
  const last = await api.call(runs.older, { projectId, suiteId, before: page.nextCursor! })
  expect(last.items.map(({ id }) => id)).toEqual([first])
  expect(last.nextCursor).toBeUndefined()
  expect((await api.call(runs.older, { projectId, suiteId })).items).toHaveLength(3)
  const other = await send(api, report({ suiteName: 'Another' }))
  expect(await api.refused(runs.older, { projectId, suiteId, before: other.runId })).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
  })
})

test('an invalid report is refused by its field', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const own = await api.call(runs.create, { projectId, body: { suiteId } })
  const one = (result: object) => ({ suiteName: 's', results: [result] })
  const good = { caseTitle: 'a', passed: true }
  for (const [endpoint, body, field] of [
    [evalIngest.report, { results: [good] }, 'suiteName'],
    [evalIngest.report, { suiteName: ' ', results: [good] }, 'suiteName'],
    [evalIngest.report, { suiteName: 's' }, 'results'],
    [evalIngest.report, { suiteName: 's', results: [] }, 'results'],
    [evalIngest.report, one({ passed: true }), 'results.0.caseTitle'],
    [evalIngest.report, one({ caseTitle: 'a' }), 'results.0.passed'],
    [evalIngest.report, one({ caseTitle: 'a', passed: 'yes' }), 'results.0.passed'],
    [evalIngest.report, one({ ...good, status: 'failed' }), 'results.0.status'],
    [evalIngest.report, one({ ...good, status: 'great' }), 'results.0.status'],
    [evalIngest.report, one({ ...good, durationMs: -1 }), 'results.0.durationMs'],
    [evalIngest.report, one({ ...good, durationMs: 1e300 }), 'results.0.durationMs'],
    [evalIngest.report, one({ ...good, startedAt: 'yesterday' }), 'results.0.startedAt'],
    [evalIngest.report, one({ ...good, startedAt: 1e17 }), 'results.0.startedAt'],
    [evalIngest.report, one({ ...good, tokens: { input: 1.5 } }), 'results.0.tokens.input'],
    [evalIngest.report, one({ ...good, caseTitle: 'x'.repeat(1001) }), 'results.0.caseTitle'],
    [evalIngest.report, one({ ...good, tokens: { total: 'many' } }), 'results.0.tokens.total'],
    [evalIngest.report, one({ ...good, toolCalls: [{}] }), 'results.0.toolCalls.0.toolName'],
    [evalIngest.report, one({ ...good, trace: 5 }), 'results.0.trace'],
    [evalIngest.report, { ...one(good), passCriteria: { minimumPassRate: 101 } }, 'passCriteria.minimumPassRate'],
    [evalIngest.start, {}, 'suiteName'],
    [evalIngest.start, { suiteName: 's', declaredSuiteId: 'x'.repeat(129) }, 'declaredSuiteId'],
    [evalIngest.iterations, { results: [good] }, 'runId'],
    [evalIngest.iterations, { runId: own.runId, results: [good] }, 'runId'],
    [evalIngest.finalize, {}, 'runId'],
  ] as const)
    expect({ body, ...(await api.refused(endpoint, { ...project, body })) }).toMatchObject({
      body,
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field },
    })
  for (const body of [{ runId: 'run_none' }, { externalRunId: 'none' }])
    expect(await api.refused(evalIngest.finalize, { ...project, body })).toMatchObject({ status: 404 })
  const huge = { ...one(good), notes: 'x'.repeat(5.5 * 1024 * 1024) }
  expect(await api.refused(evalIngest.report, { ...project, body: huge })).toMatchObject({
    status: 400,
    message: expect.stringContaining('runs/start'),
  })
  const deep = `{"suiteName":"s","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  expect(await api.refused(evalIngest.report, { ...project, body: deep })).toMatchObject({
    status: 400,
    message: expect.stringContaining('levels'),
  })
  const names = (await api.call(suites.list, { projectId })).items.map(({ name }) => name)
  expect(names).toEqual(['Reference server smoke'])
  expect(await api.refused(evalIngest.uploadUrl, { ...project, body: {} })).toMatchObject({
    status: 422,
    code: 'FEATURE_NOT_SUPPORTED',
    message: expect.stringContaining('keeps no artifacts'),
  })
})

test('one external id is one run, and applies to runs of one suite', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const start = (body: object) => api.call(evalIngest.start, { ...project, body })
  const first = await start({ suiteName: 'a', externalRunId: 'x' })
  for (const other of [{ suiteName: 'b' }, { suiteId }])
    expect(await api.refused(evalIngest.start, { ...project, body: { ...other, externalRunId: 'x' } })).toMatchObject({
      status: 400,
      details: { field: 'externalRunId' },
    })
  const second = await start({ suiteName: 'a' })
  expect(second).toMatchObject({ suiteId: first['suiteId'], reused: false })
  const mixed = { runId: second['runId'], externalRunId: 'x' }
  expect(await api.refused(evalIngest.finalize, { ...project, body: mixed })).toMatchObject({
    details: { field: 'externalRunId' },
  })
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  const elsewhere = { projectId: other.id, body: { suiteName: 'a', externalRunId: 'x' } }
  expect(await api.call(evalIngest.start, elsewhere)).toMatchObject({ projectId: other.id, reused: false })
  const foreign = { projectId: other.id, body: { runId: first['runId'] } }
  expect(await api.refused(evalIngest.finalize, foreign)).toMatchObject({ status: 404 })
  expect(projectId).toBe(first['projectId'])
})

test('a report joins an existing suite by its id, and the suite keeps its cases', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const known = (await api.call(cases.list, { projectId, suiteId })).items
  const title = known[1]!.title
  const results = [
    { caseTitle: title, passed: true },
    { caseTitle: 'not here', caseId: 'elsewhere', passed: true },
  ]
  const { runId } = await send(api, { suiteId, results })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(({ testCaseId }) => testCaseId)).toEqual([known[1]!.id, 'elsewhere'])
  expect((await api.call(cases.list, { projectId, suiteId })).items).toEqual(known)
  const named = await send(api, { suiteName: 'Reference server smoke', results })
  expect(named.suiteId).not.toBe(suiteId)
})

test('a case on two models is one case with a key for each', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const results = ['x', 'y', 'x'].map(model => ({ caseTitle: 'same', passed: true, model, provider: 'p' }))
  const { runId, suiteId } = await send(api, { suiteName: 'Models', results })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(({ model, iterationNumber }) => [model, iterationNumber])).toEqual([
    ['x', 1],
    ['y', 1],
    ['x', 2],
  ])
  expect((await api.call(cases.list, { projectId, suiteId })).items).toHaveLength(1)
})

test('`default` is the oldest project, and only for callers who may write there', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  const { key } = makeKey(store, 'narrow', { grants: { [other.id]: 'member' } })
  const body = report()
  expect(await api.refused(evalIngest.report, { ...project, body }, { key })).toMatchObject({ status: 404 })
  const there = { projectId: other.id, body }
  expect(await api.call(evalIngest.report, there, { key })).toMatchObject({ projectId: other.id })
  const { key: guest } = makeKey(store, 'guest', { role: 'guest' })
  expect(await api.refused(evalIngest.report, { ...project, body }, { key: guest })).toMatchObject({ status: 403 })
  const wins = { ...body, projectId: other.id }
  expect(await send(api, wins)).toMatchObject({ projectId })
  expect(await api.refused(suites.list, { ...project })).toMatchObject({ status: 404 })
})
