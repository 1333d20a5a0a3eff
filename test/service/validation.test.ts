import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { echoCase, open, sandbox } from './harness.ts'

const { projects, servers, suites, cases, runs, iterations } = contract

test('a body with very many errors is refused in a few words', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const unknown = Array.from({ length: 20_000 }, (_, index) => `"field${index}":1`).join(',')
  for (const serverIds of [9000, 190_000].map(count => `[${'0,'.repeat(count)}0]`)) {
    const body = `{"name":"s","model":"m","serverIds":${serverIds},"tests":[],${unknown}}`
    const refused = await api.refused(suites.create, { projectId, body })
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(JSON.stringify(refused).length).toBeLessThan(20_000)
  }
})

test('a refusal names the field', async () => {
  const { api } = await open()
  const { projectId, suiteId, serverId } = await sandbox(api)
  const suite = { name: 's', model: 'm', serverIds: [serverId], tests: [echoCase('a', 'b')] }
  const stdio = { name: 'x', enabled: true, transportType: 'stdio' }
  const table = [
    [projects.create, { body: {} }, 'name'],
    [projects.create, { body: { name: 'a', colour: 'red' } }, 'colour'],
    [projects.create, { body: { name: 5 } }, 'name'],
    [projects.create, { body: [] }, ''],
    [projects.create, { body: '{"name":' }, ''],
    [projects.create, {}, ''],
    [projects.delete, { projectId, body: { force: true } }, 'force'],
    [servers.list, { projectId, limit: 0 }, 'limit'],
    [servers.create, { projectId, body: stdio }, 'command'],
    [servers.create, { projectId, body: { ...stdio, command: 'x', url: 'http://x.test' } }, 'url'],
    [servers.create, { projectId, body: { ...stdio, transportType: 'http' } }, 'url'],
    [servers.create, { projectId, body: { ...stdio, command: 'x', env: { A: 1 } } }, 'env.A'],
    [servers.update, { projectId, serverId, body: {} }, ''],
    [
      servers.update,
      { projectId, serverId, body: { clientSecret: 'a', clearClientSecret: true } },
      'clearClientSecret',
    ],
    [servers.tools, { projectId, serverId, body: { cursor: 1 } }, 'cursor'],
    [servers.callTool, { projectId, serverId, body: { toolName: 'echo', arguments: {} } }, 'arguments'],
    [suites.create, { projectId, body: { ...suite, serverIds: [] } }, 'serverIds'],
    [suites.create, { projectId, body: { ...suite, serverNames: ['a', 'b'] } }, 'serverNames'],
    [suites.create, { projectId, body: { ...suite, tests: [{ title: 'a', steps: [] }] } }, 'tests.0.steps'],
    [
      suites.create,
      { projectId, body: { ...suite, passCriteria: { minimumPassRate: 101 } } },
      'passCriteria.minimumPassRate',
    ],
    [suites.update, { projectId, suiteId, body: { environmentIds: [] } }, 'environmentIds'],
    [suites.update, { projectId, suiteId, body: { settings: { minimumAccuracy: 101 } } }, 'settings.minimumAccuracy'],
    [suites.update, { projectId, suiteId, body: { settings: { checks: [{}] } } }, 'settings.checks.0.type'],
    [
      suites.update,
      { projectId, suiteId, body: { settings: { matchOptions: { order: 1 } } } },
      'settings.matchOptions.order',
    ],
    [
      cases.create,
      { projectId, suiteId, body: { title: 'a', steps: [{ id: 'x', kind: 'toolCall' }] } },
      'steps.0.toolName',
    ],
    [cases.create, { projectId, suiteId, body: { ...echoCase('a', 'b'), id: 'no spaces' } }, 'id'],
    [cases.createBatch, { projectId, suiteId, body: { cases: [] } }, 'cases'],
    [runs.create, { projectId, body: { suiteName: 'x' } }, 'suiteId'],
    [runs.create, { projectId, body: { suiteId, iterationOverride: 11 } }, 'iterationOverride'],
    [runs.create, { projectId, body: { suiteId, browser: true } }, 'browser'],
    [runs.list, { projectId, suiteId, limit: 0 }, 'limit'],
    [runs.list, { projectId, suiteId, limit: 'many' }, 'limit'],
    [runs.rerun, { projectId, runId: 'r', body: { scope: 'all' } }, 'scope'],
    [iterations.list, { projectId, runId: 'r', limit: 201 }, 'limit'],
  ] as const
  for (const [endpoint, input, field] of table) {
    const refusal = await api.refused(endpoint, input)
    expect({
      operation: endpoint.operation,
      input,
      status: refusal.status,
      code: refusal.code,
      field: refusal.details?.['field'],
    }).toEqual({ operation: endpoint.operation, input, status: 400, code: 'VALIDATION_ERROR', field })
  }
})

test('headers are validated as well', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const input = { projectId, suiteId, body: { cases: [echoCase('a', 'b')] } }
  const refuse = (headers: Record<string, string>) => api.refused(cases.createBatch, input, { headers })
  expect(await refuse({ 'idempotency-key': 'k'.repeat(257) })).toMatchObject({ details: { field: 'idempotency-key' } })
  expect(await refuse({ 'x-mcpjam-eval-vocabulary': '3' })).toMatchObject({
    details: { field: 'x-mcpjam-eval-vocabulary' },
  })
  const known = await api.send(cases.createBatch, input, { headers: { 'x-mcpjam-eval-vocabulary': '2' } })
  expect(known.status).toBe(201)
})

test('a body that is too large or not text is refused before it is parsed', async () => {
  const { api } = await open({ maxBodyBytes: 1000 })
  const large = await api.refused(projects.create, { body: { name: 'x'.repeat(2000) } })
  expect(large).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  const response = await api.fetch(
    new Request('http://x/api/v1/projects', {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}` },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    }),
  )
  expect(response.status).toBe(400)
})

test('an internal error reveals no internals', async () => {
  const errors: unknown[] = []
  const { api, store } = await open({
    log: entry => {
      if (entry.kind === 'request' && entry.error) errors.push(entry.error)
    },
  })
  const { projectId, serverId } = await sandbox(api)
  const broken = new DatabaseSync(store.directory!.database)
  broken.exec("UPDATE server SET options = '{'")
  broken.close()
  const refusal = await api.refused(servers.get, { projectId, serverId })
  expect(refusal).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', message: 'The service failed; see its log.' })
  expect(refusal.details).toBeUndefined()
  expect(errors).toHaveLength(1)
})
