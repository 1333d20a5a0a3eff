import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { ReadinessRun } from '../../src/api/contract/readiness.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { answer, startHttpServer } from '../servers/http-server.ts'
import { guardedServer } from './guarded-server.ts'
import { createApi, open, sandbox, temporaryDirectory, until, type Api } from './harness.ts'
import { referenceServerOverHttp } from './reference-server.ts'
import { scriptedModel } from './scripted-model.ts'

const { readiness, servers, projects } = contract
type Finding = { id: string; status: string; subjects?: string[]; provenance: string; class: string }

async function workspace(url: string, options: Parameters<typeof open>[0] = {}) {
  const service = await open(options)
  const { projectId, serverId: stdioId } = await sandbox(service.api)
  const body = { name: 'graded', enabled: true, transportType: 'http', url }
  const { id: serverId } = await service.api.call(servers.create, { projectId, body })
  return { ...service, projectId, serverId, stdioId, target: { projectId, serverId } }
}

function untilDone(api: Api, projectId: string, runId: string): Promise<ReadinessRun> {
  return until(
    () => api.call(readiness.get, { projectId, runId }),
    ({ status }) => status !== 'pending' && status !== 'running',
  )
}

async function findingsOf(api: Api, projectId: string, runId: string) {
  const report = await api.call(readiness.report, { projectId, runId })
  const findings = report['findings'] as Finding[]
  return { report, findings, by: (id: string) => findings.find(finding => finding.id === id) }
}

function laneOf(run: ReadinessRun, name: string) {
  return run.lanes?.find(({ lane }) => lane === name)
}

async function badServer() {
  const tools = [
    { name: 'no good name', inputSchema: { type: 'string' } },
    {
      name: 'wipe',
      description: 'Wipes.',
      inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } },
      annotations: { readOnlyHint: true, destructiveHint: true },
      _meta: { ui: { resourceUri: 'ui://missing' } },
    },
    {
      name: 'old',
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} },
    },
  ]
  const server = await startHttpServer({
    'tools/list': (message, _request, response) => answer(response, message, { tools }),
  })
  onTestFinished(() => server.close())
  return server
}

test('the reference server passes every measurable check, except for its address', async () => {
  const url = await referenceServerOverHttp()
  const { api, projectId, target, serverId } = await workspace(url)
  const started = await api.call(readiness.startOpenAI, { ...target, body: { submissionMode: 'mcp-only' } })
  expect(started).toMatchObject({
    readinessKind: 'openai',
    serverId,
    status: 'pending',
    deduped: false,
    includeLlmObservations: false,
  })
  const run = await untilDone(api, projectId, started.runId)
  expect(run).toMatchObject({
    status: 'completed',
    overallStatus: 'not-ready',
    submissionMode: 'mcp-only',
    serverUrl: url,
    authMode: 'headless',
    llmObservations: { status: 'not-requested', reason: 'not_requested' },
    hasReport: true,
    policySnapshotDate: null,
  })
  const { report, findings, by } = await findingsOf(api, projectId, started.runId)
  const violated = findings.filter(({ status }) => status === 'violated')
  expect(violated.filter(finding => finding.class === 'deterministic').map(({ id }) => id)).toEqual(['public-https'])
  expect(by('authorization-metadata')).toMatchObject({ status: 'not-applicable' })
  expect(by('imported-skills')).toMatchObject({ status: 'not-applicable' })
  expect(by('output-schemas')).toMatchObject({ status: 'satisfied' })
  expect(laneOf(run, 'runtime-compatibility')).toMatchObject({
    status: 'not-ready',
    evaluated: 7,
    notEvaluated: 0,
    notApplicable: 2,
    missingInputs: [],
  })
  expect(laneOf(run, 'directory-policy')).toMatchObject({ status: 'incomplete', notEvaluated: 1, missingInputs: [] })
  expect(laneOf(run, 'submission-artifacts')?.missingInputs).toContain('privacyPolicyUrl')
  expect(run.stages).toMatchObject([
    { stage: 'technical-preflight', status: 'not-ready', lanes: ['runtime-compatibility', 'optional-features'] },
    { stage: 'submission-ready', status: 'not-ready' },
  ])
  expect(run.stages?.[1]?.lanes).not.toContain('plugin-package')
  expect(JSON.stringify([run, report])).not.toMatch(/"score"/i)
  expect(report).toMatchObject({
    policy: { publisher: 'OpenAI' },
    server: { connected: true, transport: 'streamable-http', name: 'mcp-servers/everything' },
  })
})

test('a bad server is reported with the tools that break each rule', async () => {
  const { url } = await badServer()
  const { api, projectId, target } = await workspace(url)
  const { runId } = await api.call(readiness.startClaude, target)
  const run = await untilDone(api, projectId, runId)
  expect(run).toMatchObject({ status: 'completed', overallStatus: 'not-ready', stages: [] })
  expect(run.lanes?.map(({ lane }) => lane)).toEqual([
    'runtime-compatibility',
    'directory-policy',
    'optional-features',
    'submission-artifacts',
    'experience-insights',
  ])
  const { by } = await findingsOf(api, projectId, runId)
  for (const [id, subjects] of [
    ['input-schemas', ['no good name', 'wipe']],
    ['tool-names', ['no good name']],
    ['tool-descriptions', ['no good name', 'old']],
    ['tool-titles', ['no good name', 'wipe', 'old']],
    ['tool-annotations', ['no good name', 'old']],
    ['consistent-annotations', ['wipe']],
    ['widget-templates', ['wipe']],
    ['parameter-descriptions', ['wipe.a']],
  ] as const)
    expect(by(id)).toMatchObject({ status: 'violated', subjects })
  // The server answers every call with a result.
  expect(by('refuses-unknown-tool')).toMatchObject({ status: 'violated' })
  expect(laneOf(run, 'experience-insights')).toMatchObject({ status: 'incomplete', evaluated: 0 })
})

test('a server behind OAuth is graded by what a stranger sees, and completely with tokens', async () => {
  const { url } = await guardedServer()
  const { api, projectId, target } = await workspace(url)
  const stranger = await api.call(readiness.startClaude, target)
  const seen = await untilDone(api, projectId, stranger.runId)
  expect(seen).toMatchObject({ status: 'completed', authMode: 'headless' })
  const first = await findingsOf(api, projectId, stranger.runId)
  expect(first.by('authorization-metadata')).toMatchObject({ status: 'satisfied' })
  expect(first.by('pkce')).toMatchObject({ status: 'satisfied' })
  expect(first.by('tool-names')).toMatchObject({ status: 'not-evaluated' })
  expect(laneOf(seen, 'directory-policy')).toMatchObject({
    status: 'incomplete',
    evaluated: 0,
    missingInputs: ['accessToken'],
  })
  await api.call(servers.importTokens, {
    ...target,
    body: {
      serverUrl: url,
      clientInformation: { clientId: 'mcpdeck' },
      tokens: { access_token: 'token-0', refresh_token: 'r' },
    },
  })
  const authorized = await api.call(readiness.startClaude, target)
  expect(await untilDone(api, projectId, authorized.runId)).toMatchObject({ authMode: 'provided-token' })
  const second = await findingsOf(api, projectId, authorized.runId)
  expect(second.by('tool-names')).toMatchObject({ status: 'satisfied' })
  expect(JSON.stringify(second.report)).not.toContain('token-0')
})

test('a server that cannot be reached is not graded', async () => {
  const server = await startHttpServer()
  await server.close()
  const { api, projectId, target } = await workspace(server.url)
  const { runId } = await api.call(readiness.startClaude, target)
  const run = await untilDone(api, projectId, runId)
  expect(run).toMatchObject({
    status: 'failed',
    terminalReason: 'SERVER_UNREACHABLE',
    overallStatus: null,
    lanes: [],
    hasReport: false,
  })
  expect(run.errorMessage).toContain('could not be reached')
  expect(await api.refused(readiness.report, { projectId, runId })).toMatchObject({ status: 404 })
  expect(await api.refused(readiness.cancel, { projectId, runId })).toMatchObject({ status: 409, code: 'CONFLICT' })
})

describe('a readiness run in progress', () => {
  async function silent(options: Parameters<typeof open>[0] = {}) {
    const asked = Promise.withResolvers<void>()
    const server = await startHttpServer({ initialize: () => asked.resolve() })
    onTestFinished(() => server.close())
    const known = await workspace(server.url, options)
    const { runId } = await known.api.call(readiness.startClaude, { ...known.target, body: { idempotencyKey: 'once' } })
    await asked.promise
    return { ...known, runId }
  }

  test('is recognised by its key, and cancelled', async () => {
    const { api, projectId, target, runId } = await silent()
    const again = { ...target, body: { idempotencyKey: 'once' } }
    expect(await api.call(readiness.startClaude, again)).toMatchObject({ runId, deduped: true, status: 'running' })
    expect(await api.call(readiness.cancel, { projectId, runId })).toEqual({ runId, projectId, status: 'cancelled' })
    expect(await api.call(readiness.get, { projectId, runId })).toMatchObject({
      status: 'cancelled',
      terminalReason: 'cancelled',
    })
    expect(await api.call(readiness.startClaude, again)).toMatchObject({ deduped: true, status: 'cancelled' })
    expect(await api.refused(readiness.cancel, { projectId, runId })).toMatchObject({ status: 409 })
  })

  test('fails when its process ends', async () => {
    const dataDir = temporaryDirectory()
    const { close, projectId, runId } = await silent({ dataDir })
    await close()
    const { api } = await open({ dataDir })
    expect(await api.call(readiness.get, { projectId, runId })).toMatchObject({
      status: 'failed',
      terminalReason: 'interrupted',
      errorMessage: expect.stringContaining('ended'),
    })
  })
})

describe('observations of a readiness run', () => {
  test('are opinions of the configured model and decide nothing', async () => {
    const remark = { tool: 'old', title: 'Vague name', advice: 'Say what is old.' }
    const model = await scriptedModel(() => ({ text: JSON.stringify({ observations: [remark] }) }))
    const { url } = await badServer()
    const { api, projectId, target } = await workspace(url, { models: { ...model.settings, model: 'small' } })
    const body = { includeLlmObservations: true, idempotencyKey: 'k' }
    const { runId } = await api.call(readiness.startClaude, { ...target, body })
    const run = await untilDone(api, projectId, runId)
    expect(run).toMatchObject({ includeLlmObservations: true, llmObservations: { status: 'completed' } })
    const { by } = await findingsOf(api, projectId, runId)
    expect(by('observation-1')).toMatchObject({ provenance: 'llm', class: 'heuristic', subjects: ['old'] })
    expect(laneOf(run, 'experience-insights')).toMatchObject({ evaluated: 0 })
    expect(model.asked[0]?.prompts[0]).toContain('"wipe"')
    const other = { ...body, includeLlmObservations: false }
    expect(await api.refused(readiness.startClaude, { ...target, body: other })).toMatchObject({
      status: 409,
      details: { field: 'idempotencyKey' },
    })
  })

  test('that fail leave the measurements unchanged', async () => {
    const answers = [{ status: 400, message: 'no' }, { text: 'not what was asked for' }]
    const model = await scriptedModel(() => answers.shift()!)
    const { url } = await badServer()
    const { api, projectId, target } = await workspace(url, { models: { ...model.settings, model: 'small' } })
    const states = []
    for (let run = 0; run < 2; run += 1) {
      const body = { includeLlmObservations: true }
      const { runId } = await api.call(readiness.startClaude, { ...target, body })
      const { status, llmObservations } = await untilDone(api, projectId, runId)
      states.push([status, llmObservations?.status, llmObservations?.reason])
    }
    expect(states).toEqual([
      ['completed', 'provider-failed', 'provider_error'],
      ['completed', 'invalid-output', 'schema_invalid'],
    ])
  })

  test('are refused without a model, before anything is written', async () => {
    const { url } = await badServer()
    const { api, projectId, target } = await workspace(url)
    const body = { includeLlmObservations: true }
    expect(await api.refused(readiness.startClaude, { ...target, body })).toMatchObject({
      status: 422,
      code: 'FEATURE_NOT_SUPPORTED',
      message: expect.stringContaining('MCPDECK_MODEL'),
    })
    expect((await api.call(readiness.list, { projectId })).items).toEqual([])
  })
})

test('readiness runs are listed latest first, by kind and server, and invalid starts are refused', async () => {
  const { url } = await badServer()
  const { api, store, projectId, serverId, stdioId, target } = await workspace(url)
  const claude = await api.call(readiness.startClaude, target)
  const openai = await api.call(readiness.startOpenAI, { ...target, body: { submissionMode: 'mcp-imported-skills' } })
  const ids = async (query: object = {}) =>
    (await api.call(readiness.list, { projectId, ...query })).items.map(({ id }) => id)
  expect(await ids()).toEqual([openai.runId, claude.runId])
  expect(await ids({ limit: 1 })).toEqual([openai.runId])
  expect(await ids({ readinessKind: 'claude', serverId })).toEqual([claude.runId])
  expect(await ids({ serverId: stdioId })).toEqual([])
  expect(await untilDone(api, projectId, openai.runId)).toMatchObject({ submissionMode: 'mcp-imported-skills' })
  for (const [endpoint, input, status] of [
    [readiness.startOpenAI, { ...target, body: {} }, 400],
    [readiness.startClaude, { ...target, body: { url } }, 400],
    [readiness.startClaude, { projectId, serverId: stdioId }, 400],
    [readiness.startClaude, { projectId, serverId: 'srv_none' }, 404],
    [readiness.list, { projectId, limit: 101 }, 400],
    [readiness.get, { projectId, runId: 'rdy_none' }, 404],
  ] as const)
    expect(await api.refused(endpoint, input)).toMatchObject({ status })
  const { id: otherId } = await api.call(projects.create, { body: { name: 'Other' } })
  const foreign = { projectId: otherId, runId: claude.runId }
  for (const endpoint of [readiness.get, readiness.report, readiness.cancel])
    expect(await api.refused(endpoint, foreign)).toMatchObject({ status: 404 })
  const guest = createApi(api.fetch, makeKey(store, 'g', { grants: { [projectId]: 'guest' } }).key)
  expect(await guest.refused(readiness.startClaude, target)).toMatchObject({ status: 403 })
})
