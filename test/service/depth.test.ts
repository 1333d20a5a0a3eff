import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { pathParameters } from '../../src/api/contract/endpoint.ts'
import { MAX_INPUT_LEVELS, MAX_STORED_LEVELS, TOO_DEEP } from '../../src/lib/json.ts'
import { createService } from '../../src/service/workspace/service.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { REFUSALS } from '../../src/service/core/refusals.ts'
import { startHttpServer } from '../servers/http-server.ts'
import { small } from '../servers/targets.ts'
import { createApi, open, sandbox, temporaryDirectory, untilEnded, type Api } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'

const { iterations, projects, runs, servers } = contract

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** A saved server whose tool `deep` returns as many levels as requested. */
async function deepServer(api: Api, projectId: string) {
  const { transport } = small('healthy')
  const body = { name: 'deep', enabled: true, transportType: 'stdio', ...transport, type: undefined }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  return { projectId, serverId }
}

/** A saved server over HTTP that answers every call with as many levels. */
async function deepHttpServer(api: Api, projectId: string, levels: () => number) {
  const http = await startHttpServer({
    'tools/call': ({ id }, _request, response) => {
      const result = `{"content":[],"structuredContent":{"a":${lists(levels() - 2)}}}`
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    },
  })
  onTestFinished(http.close)
  const body = { name: 'deep http', enabled: true, transportType: 'http', url: http.url }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  return { projectId, serverId }
}

const refusal = (tooMany: string) => ({
  status: 502,
  code: 'SERVER_UNREACHABLE',
  message: expect.stringContaining(tooMany),
})

test.each([MAX_INPUT_LEVELS + 1, 5000, 1_000_000])(
  'an answer with %i levels is refused, over stdio and over HTTP, and the next one is answered',
  async levels => {
    const { api } = await open({ log: () => {} })
    const { projectId } = await sandbox(api)
    let httpLevels = levels
    const stdio = await deepServer(api, projectId)
    const http = await deepHttpServer(api, projectId, () => httpLevels)
    const body = { toolName: 'deep', parameters: { levels } }
    for (const target of [stdio, http])
      expect(await api.refused(servers.callTool, { ...target, body })).toMatchObject(
        refusal(`more than ${MAX_INPUT_LEVELS} levels`),
      )
    httpLevels = MAX_INPUT_LEVELS
    const flat = { toolName: 'deep', parameters: { levels: MAX_INPUT_LEVELS } }
    for (const target of [stdio, http])
      expect(await api.call(servers.callTool, { ...target, body: flat })).toMatchObject({ content: [] })
  },
)

test('a run that gets a deeply nested answer reports it in its trial, and its trials can be read', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { serverId } = await deepServer(api, projectId)
  const step = (levels: number) => ({
    title: `levels ${levels}`,
    steps: [{ id: 'deep', kind: 'toolCall', serverName: 'deep', toolName: 'deep', arguments: { levels } }],
    runs: 1,
    model: 'm',
    provider: 'p',
  })
  const tests = [MAX_INPUT_LEVELS, 4000, 5000].map(step)
  const body = { suiteName: 'Deep', serverIds: [serverId], tests }
  const { runId } = await api.call(runs.create, { projectId, body })
  await untilEnded(api, projectId, runId)
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(({ error }) => error ?? null)).toEqual([
    null,
    expect.stringContaining('levels'),
    expect.stringContaining('levels'),
  ])
})

test('a model that calls a tool with too many levels is told so, and the run continues', async () => {
  const args = (levels: number) => JSON.parse(`{"message":${lists(levels - 1)}}`) as unknown
  const model = await scriptedModel(({ results }) =>
    results.length === 0 ? { calls: [{ name: 'echo', args: args(MAX_INPUT_LEVELS + 1) }] } : { text: results.join() },
  )
  const { api } = await open({ models: model.settings })
  const { projectId, serverId } = await sandbox(api)
  const tests = [
    { title: 'asks', steps: [{ id: 'p', kind: 'prompt', prompt: 'Call it.' }], runs: 1, model: 'm', provider: 'p' },
  ]
  const body = { suiteName: 'Deep', serverIds: [serverId], tests }
  const { runId } = await api.call(runs.create, { projectId, body })
  await untilEnded(api, projectId, runId)
  await api.call(iterations.list, { projectId, runId })
  expect(model.asked.at(-1)?.results.join()).toContain(`at most ${MAX_INPUT_LEVELS} levels`)
})

test('every operation refuses a body with too many levels as an invalid request', async () => {
  const { api } = await open()
  const refusedWhole = Object.keys(REFUSALS)
  for (const endpoint of allEndpoints()) {
    if (endpoint.method === 'GET' || refusedWhole.includes(`${endpoint.resource}.${endpoint.name}`)) continue
    const path = pathParameters(endpoint.path).map(name => [name, 'x'])
    // The only query parameter that an operation with a body requires.
    const named = {
      ...Object.fromEntries(path),
      ...(endpoint.operation === 'discardAgentProposal' && { decision: 'dismissed' }),
    }
    for (const levels of [MAX_INPUT_LEVELS + 1, 5000, 200_000]) {
      const { operation } = endpoint
      const body = `{"a":${lists(levels - 1)}}`
      expect({ operation, ...(await api.refused(endpoint, { ...named, body })) }).toMatchObject({
        operation,
        status: 400,
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(`more than ${MAX_INPUT_LEVELS} levels`),
      })
    }
  }
})

test('a client config with the maximum number of levels is stored and read back whole', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const deep = JSON.parse(lists(MAX_INPUT_LEVELS - 2)) as unknown
  const config = { modelId: 'm', deep }
  const { id } = await api.call(contract.clients.create, { projectId, body: { name: 'Deep', config } })
  expect((await api.call(contract.clients.get, { projectId, clientId: id })).config).toEqual(config)
})

test('rows that an older program stored too deep are read, cut where they are too deep to show', async () => {
  const dataDir = temporaryDirectory()
  const log: LogEntry[] = []
  const service = await createService({ dataDir, log: entry => log.push(entry) })
  onTestFinished(service.close)
  const api = createApi(service.fetch, service.localKey)
  const { projectId, suiteId } = await sandbox(api)
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const database = new DatabaseSync(service.store.directory!.database)
  const rows = database.prepare('SELECT trialId, outcome FROM trialOutcome WHERE outcome LIKE \'%"arguments"%\'').all()
  expect(rows.length).toBeGreaterThan(0)
  const marked = (outcome: unknown, levels: number) => {
    const document = JSON.parse(String(outcome)) as { spans?: object[] }
    const text = JSON.stringify(document, (key, value: unknown) => (key === 'arguments' ? '@deep' : value))
    expect(text).toContain('"@deep"')
    return text.replaceAll('"@deep"', lists(levels))
  }
  for (const levels of [MAX_STORED_LEVELS, 4500, 100_000]) {
    for (const { trialId, outcome } of rows)
      database.prepare('UPDATE trialOutcome SET outcome = ? WHERE trialId = ?').run(marked(outcome, levels), trialId!)
    const { items } = await api.call(iterations.list, { projectId, runId })
    const traces = await Promise.all(
      items.map(({ id }) => api.call(iterations.trace, { projectId, runId, iterationId: id })),
    )
    const cut = traces.filter(trace => JSON.stringify(trace).includes(TOO_DEEP))
    expect(cut).toHaveLength(rows.length)
  }
  expect(log.filter(entry => entry.kind === 'failure' || entry.status >= 400)).toEqual([])
  database.close()
})

test('the log shows what was sent, even if an answer cannot be written', async () => {
  const log: LogEntry[] = []
  const service = await createService({ dataDir: temporaryDirectory(), log: entry => log.push(entry) })
  onTestFinished(service.close)
  const api = createApi(service.fetch, service.localKey)
  const list = service.store.projects.list
  // Nothing writes such a row. A store that returns one represents any answer that cannot be written.
  const extra = {
    toJSON: () => {
      throw new TypeError('It cannot be written.')
    },
  }
  service.store.projects.list = organizationId => list(organizationId).map(project => ({ ...project, extra }))
  expect(await api.refused(projects.list)).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' })
  expect(log.at(-1)).toMatchObject({ kind: 'request', status: 500, error: expect.any(TypeError) })
})
