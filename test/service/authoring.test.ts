import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { echoCase, open, sandbox, type Api } from './harness.ts'

const { projects, servers, suites, cases } = contract

async function emptySuite(api: Api) {
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'Own', model: 'openai/gpt-x', serverIds: [serverId], tests: [echoCase('first', '1')] }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  return { projectId, serverId, suiteId }
}

describe('a batch of cases', () => {
  test('answers every entry separately and saves the valid ones', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await emptySuite(api)
    const good = { ...echoCase('good', 'good'), id: 'good' }
    const entries = [
      good,
      { title: 'no steps' },
      { ...echoCase('bad id', 'x'), id: 'no spaces' },
      { ...echoCase('same id', 'y'), id: 'good' },
      echoCase('twin of first', '1'),
      { title: 'never runs', steps: [{ id: 'a', kind: 'toolCall' }] },
      echoCase('half a pair', '\ud800'),
      { ...echoCase('huge', 'z'), expectedOutput: 'x'.repeat(300_000) },
    ]
    const body = { cases: entries }
    const answer = await api.call(cases.createBatch, { projectId, suiteId, body })
    expect(answer.created).toMatchObject([{ index: 0, declaredId: 'good', title: 'good', replayed: false }])
    expect(answer.failed.map(({ index, code }) => [index, code])).toEqual([
      [1, 'INVALID_ITEM'],
      [2, 'INVALID_CASE_ID'],
      [3, 'DUPLICATE_CASE_ID'],
      [4, 'DUPLICATE_CONTENT'],
      [5, 'INVALID_CASE'],
      [6, 'UNSTORABLE_ITEM'],
      [7, 'ITEM_TOO_LARGE'],
    ])
    expect(answer.duplicatePolicy).toEqual({ effectivePolicy: 'block', coerced: false })
    const { items } = await api.call(cases.list, { projectId, suiteId })
    expect(items.map(({ title }) => title)).toEqual(['first', 'good'])
  })

  test('accepts duplicates with a reason, and names the policy that applied', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await emptySuite(api)
    const send = (body: object) => api.call(cases.createBatch, { projectId, suiteId, body })
    const twin = { cases: [echoCase('twin', '1')] }
    expect(await send({ ...twin, duplicatePolicy: 'maybe' })).toMatchObject({
      failed: [{ code: 'DUPLICATE_CONTENT' }],
      duplicatePolicy: { requestedPolicy: 'maybe', effectivePolicy: 'block', coerced: true },
    })
    expect(await send({ ...twin, duplicatePolicy: 'warn' })).toMatchObject({
      failed: [{ code: 'OVERRIDE_REASON_REQUIRED' }],
    })
    expect(await send({ ...twin, duplicatePolicy: 'warn', overrideReason: 'on purpose' })).toMatchObject({
      created: [{ warnings: [{ code: 'DUPLICATE_CONTENT' }] }],
      failed: [],
    })
    const anyway = await send({ ...twin, duplicatePolicy: 'create_anyway', overrideReason: 'on purpose' })
    expect(anyway.created).toHaveLength(1)
    expect(anyway.created[0]?.warnings).toBeUndefined()
  })

  test('that is repeated under its key returns the same rows', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await emptySuite(api)
    const headers = { 'idempotency-key': 'sync-1' }
    const send = (...entries: object[]) =>
      api.call(cases.createBatch, { projectId, suiteId, body: { cases: entries } }, { headers })
    const first = await send(echoCase('a', 'a'), echoCase('b', 'b'))
    const [again, third] = await Promise.all([
      send(echoCase('a', 'a'), echoCase('b', 'b')),
      send(echoCase('a', 'a'), echoCase('other', 'c'), echoCase('d', 'd')),
    ])
    expect(again.created.map(({ id, replayed }) => [id, replayed])).toEqual(first.created.map(({ id }) => [id, true]))
    expect(third.created.map(({ index, replayed }) => [index, replayed])).toEqual([
      [0, true],
      [2, false],
    ])
    expect(third.failed).toMatchObject([{ index: 1, code: 'IDEMPOTENCY_CONFLICT' }])
  })
})

test('a case can be edited in parts, and null removes an override', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await emptySuite(api)
  const checks = { list: [{ type: 'noToolErrors' }] }
  const body = {
    ...echoCase('own', 'x'),
    models: [{ model: 'anthropic/claude' }],
    matchOptions: { toolCallOrder: 'any' },
    checks,
  }
  const created = await api.call(cases.create, { projectId, suiteId, body })
  expect(created).toMatchObject({
    models: [{ model: 'anthropic/claude', provider: 'anthropic' }],
    matchOptions: { toolCallOrder: 'any' },
    checks: { mode: 'replace', list: [{ type: 'noToolErrors' }] },
    iterations: 1,
    isNegative: false,
  })
  const edit = (change: object) => api.call(cases.update, { projectId, suiteId, caseId: created.id, body: change })
  const edited = await edit({ iterations: 3, matchOptions: null, checks: null })
  expect(edited).toMatchObject({ title: 'own', iterations: 3, steps: created.steps })
  expect([edited.matchOptions, edited.checks]).toEqual([undefined, undefined])
  expect(
    await api.refused(cases.create, { projectId, suiteId, body: { ...echoCase('x', 'q'), id: created.declaredId } }),
  ).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(await api.call(cases.delete, { projectId, suiteId, caseId: created.id })).toEqual({
    id: created.id,
    deleted: true,
  })
  expect(await api.refused(cases.get, { projectId, suiteId, caseId: created.id })).toMatchObject({ status: 404 })
})

test('a suite keeps fields that are not sent and refuses references to missing things', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await emptySuite(api)
  const edit = (body: object) => api.call(suites.update, { projectId, suiteId, body })
  await edit({ settings: { minimumAccuracy: 80, minimumIterations: 2, checks: [{ type: 'noToolErrors' }] } })
  await edit({ executionConfig: { temperature: 0.5 } })
  expect(await edit({ name: 'Renamed', settings: { minimumIterations: null }, environmentIds: null })).toMatchObject({
    name: 'Renamed',
    executionConfig: { model: 'openai/gpt-x', temperature: 0.5 },
    settings: { minimumAccuracy: 80, minimumIterations: null, checks: [{ type: 'noToolErrors' }] },
    environment: { servers: ['everything'] },
  })
  for (const body of [
    { environmentIds: ['env_1'] },
    { hosts: [{ host: 'Claude' }] },
    { environment: { servers: ['nobody'] } },
    { environment: { computerEnvironment: 'img_1' } },
  ])
    expect(await api.refused(suites.update, { projectId, suiteId, body })).toMatchObject({ status: 404 })
})

test('two inline cases with one title are one case, with the fields of both', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ ...echoCase('twice', 'x'), expectedOutput: 'x' }, echoCase('twice', 'y')]
  const body = { name: 'Twice', model: 'm', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const { items } = await api.call(cases.list, { projectId, suiteId })
  expect(items).toMatchObject([{ title: 'twice', expectedOutput: 'x' }])
})

test('a suite is saved although one of its cases could never run', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const tests = [echoCase('fine', 'x'), { title: 'broken', steps: [{ id: 'a', kind: 'assert' }] }]
  const body = { name: 'Partly', model: 'm', serverIds: [serverId], tests }
  const created = await api.call(suites.create, { projectId, body })
  expect(created.caseUpsert).toMatchObject({ committed: [{ name: 'fine' }], failed: [{ name: 'broken' }] })
})

describe('operations on servers', () => {
  test('never return secrets, which are encrypted at rest', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    const secret = 'hunter2-very-secret'
    const body = {
      name: 'private',
      enabled: true,
      transportType: 'http',
      url: 'https://mcp.example.test/mcp',
      headers: { 'x-token': secret },
      clientSecret: secret,
      oauthScopes: ['read'],
    }
    const created = await api.call(servers.create, { projectId, body })
    expect(created).toMatchObject({ hasClientSecret: true, oauthScopes: ['read'], url: body.url })
    const tokens = { access_token: secret, refresh_token: secret, expires_in: 3600 }
    const imported = await api.call(servers.importTokens, {
      projectId,
      serverId: created.id,
      body: { serverUrl: body.url, tokens },
    })
    expect(imported).toMatchObject({ imported: true })
    const answers = await Promise.all([
      api.send(servers.get, { projectId, serverId: created.id }),
      api.send(servers.list, { projectId }),
    ])
    for (const answer of answers) expect(await answer.text()).not.toContain(secret)
    const { database } = store.directory!
    for (const file of [database, `${database}-wal`]) expect(readFileSync(file, 'latin1')).not.toContain(secret)
    expect(store.servers.get(projectId, created.id)?.tokens?.accessToken).toBe(secret)

    const elsewhere = { serverUrl: 'https://evil.example.test/mcp', tokens }
    expect(await api.refused(servers.importTokens, { projectId, serverId: created.id, body: elsewhere })).toMatchObject(
      { details: { field: 'serverUrl' } },
    )
    await api.call(servers.update, {
      projectId,
      serverId: created.id,
      body: { url: 'https://other.example.test/mcp', clearClientSecret: true },
    })
    expect(store.servers.get(projectId, created.id)?.secrets).toEqual({})
    expect(store.servers.get(projectId, created.id)?.tokens).toBeUndefined()
    expect(await api.call(servers.get, { projectId, serverId: created.id })).toMatchObject({ hasClientSecret: false })
  })

  test('accept a name once in a project, and a deleted server leaves its suites', async () => {
    const { api } = await open()
    const { projectId, suiteId, serverId } = await sandbox(api)
    const body = { name: 'everything', enabled: true, transportType: 'stdio', command: 'x' }
    expect(await api.refused(servers.create, { projectId, body })).toMatchObject({
      status: 409,
      details: { field: 'name' },
    })
    const other = await api.call(projects.create, { body: { name: 'Other' } })
    await api.call(servers.create, { projectId: other.id, body })
    await api.call(servers.delete, { projectId, serverId })
    expect(await api.call(suites.get, { projectId, suiteId })).toMatchObject({ environment: { servers: [] } })
  })

  test('reach the real server', async () => {
    const { api } = await open()
    const { projectId, serverId } = await sandbox(api)
    const target = { projectId, serverId }
    expect(await api.call(servers.validate, target)).toMatchObject({ success: true })
    expect(await api.call(servers.doctor, target)).toMatchObject({
      status: 'ready',
      connection: { status: 'connected' },
    })
    expect(await api.call(servers.checkOAuth, target)).toEqual({ useOAuth: false, serverUrl: null })
    const { items: tools } = await api.call(servers.tools, target)
    expect(tools.map(({ name }) => name)).toContain('get-sum')
    const called = await api.call(servers.callTool, {
      ...target,
      body: { toolName: 'get-sum', parameters: { a: 1, b: 2 } },
    })
    expect(called).toMatchObject({ content: [{ text: 'The sum of 1 and 2 is 3.' }], durationMs: expect.any(Number) })
    const { items: prompts } = await api.call(servers.prompts, target)
    const prompt = await api.call(servers.getPrompt, { ...target, body: { promptName: prompts[0]!.name } })
    expect(prompt.messages.length).toBeGreaterThan(0)
    const { items: resources } = await api.call(servers.resources, target)
    const { contents } = await api.call(servers.readResource, { ...target, body: { uri: resources[0]!.uri } })
    expect(contents).toHaveLength(1)
    const exported = await api.call(servers.export, target)
    expect(exported.tools).toHaveLength(tools.length)
    await api.call(servers.update, { ...target, body: { enabled: false } })
    expect(await api.refused(servers.tools, target)).toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('end a call when its caller hangs up', async () => {
    const log: LogEntry[] = []
    const { api } = await open({ log: entry => log.push(entry) })
    const { projectId, serverId } = await sandbox(api)
    const caller = new AbortController()
    const body = { toolName: 'trigger-long-running-operation', parameters: { duration: 600, steps: 1 } }
    const hanging = api.send(servers.callTool, { projectId, serverId, body }, { signal: caller.signal })
    await api.call(servers.tools, { projectId, serverId })
    caller.abort()
    expect((await hanging).status).toBe(504)
    expect(log.at(-1)).toMatchObject({ status: 504, error: { message: 'The caller disconnected before the answer.' } })
  })
})
