import { expect, test } from 'vitest'
import * as z from 'zod'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { open, sandbox, until, untilEnded, longCase, type Api } from './harness.ts'

const { traceExports, evalIngest, runs, suites, projects, checkRepos, account } = contract

const Attributes = z.array(
  z.strictObject({
    key: z.string(),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ intValue: z.string().regex(/^\d+$/) }),
    ]),
  }),
)
const nanoseconds = z.string().regex(/^\d{16,}$/)

/** A span in OTLP's JSON encoding. */
const Span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: Attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
})
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span) })),
    }),
  ),
})

async function exported(api: Api, query: object) {
  const response = await api.send(traceExports.otlp, { ...query })
  expect(response.status).toBe(200)
  const body: unknown = await response.json()
  const spans = Request.parse(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans))
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
  return {
    spans,
    names: roots.map(({ name }) => name),
    text: JSON.stringify(body),
    next: response.headers.get('x-mcpjam-next-cursor') ?? undefined,
    complete: response.headers.get('x-mcpjam-export-complete'),
  }
}

const valueOf = (span: z.output<typeof Span>, key: string) =>
  Object.values(span.attributes.find(attribute => attribute.key === key)?.value ?? {})[0]

async function report(api: Api, projectId: string, results: object[]) {
  await api.call(evalIngest.report, { projectId, body: { suiteName: 'Reported', results } })
}

test('every iteration of a run is a trace of its steps and calls, without the text of messages', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  expect(await exported(api, { projectId })).toMatchObject({ spans: [], complete: 'true', next: undefined })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const { spans, names, complete, next, text } = await exported(api, { projectId })
  expect([names.length, complete, next]).toEqual([15, 'true', undefined])
  const byTrace = Map.groupBy(spans, ({ traceId }) => traceId)
  expect(byTrace.size).toBe(15)
  for (const trace of byTrace.values()) {
    const ids = new Set(trace.map(({ spanId }) => spanId))
    expect(ids.size).toBe(trace.length)
    for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of trace) {
      expect(parentSpanId === undefined || ids.has(parentSpanId)).toBe(true)
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true)
    }
  }
  const failed = spans.filter(span => span.parentSpanId === undefined && span.status.code === 2)
  expect(failed.map(({ name }) => name)).toEqual([expect.stringContaining('wrong on purpose')])
  expect(valueOf(failed[0]!, 'mcpdeck.eval.run.id')).toBe(runId)
  expect(valueOf(failed[0]!, 'mcpdeck.eval.trial.class')).toBe('failed')
  const echo = spans.find(({ name }) => name === 'everything/echo')!
  expect(echo).toMatchObject({ kind: 3, status: { code: 1 } })
  expect(valueOf(echo, 'gen_ai.tool.name')).toBe('echo')
  expect(text).not.toMatch(/hello from mcpdeck|The sum of/)

  const full = await exported(api, { projectId, includeContent: true })
  expect(full.spans.map(({ spanId }) => spanId)).toEqual(spans.map(({ spanId }) => spanId))
  const said = full.spans.find(({ spanId }) => spanId === echo.spanId)!
  expect(JSON.parse(valueOf(said, 'gen_ai.tool.call.arguments')!)).toHaveProperty('message')
  expect(full.text).toContain('The sum of 2 and 2 is 4.')
})

test('exported content holds no credential of a server, even if a tool printed it', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const env = { WEATHER_API_KEY: 'hunter2-"and"-more', DEFAULT_CITY: 'Amsterdam-Centrum' }
  await api.call(contract.servers.update, { projectId, serverId, body: { env } })
  const step = { id: 'env', kind: 'toolCall', serverName: 'everything', toolName: 'get-env', arguments: {} }
  const suite = { name: 'Printing', model: 'none', serverIds: [serverId], tests: [{ title: 'env', steps: [step] }] }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const { text } = await exported(api, { projectId, includeContent: true })
  expect(text).not.toContain('hunter2')
  expect(text).toContain('[secret]')
  expect(text).toContain('Amsterdam-Centrum')
})

test('pages hold whole traces, oldest first, and their headers say how to continue', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const results = [5, 3, 1, 4, 2].map(n => ({
    caseTitle: `case ${n}`,
    passed: true,
    startedAt: 1_700_000_000_000 + n,
    tokens: { input: n, output: 1 },
    actualToolCalls: [{ toolName: 'echo' }],
  }))
  await report(api, projectId, results)
  const seen: string[] = []
  const traces: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await exported(api, { projectId, limit: 2, ...(cursor !== undefined && { cursor }) })
    seen.push(...page.names)
    traces.push(...new Set(page.spans.map(({ traceId }) => traceId)))
    expect(page.complete).toBe(String(page.next === undefined))
    if (cursor === undefined)
      await report(api, projectId, [{ caseTitle: 'newest', passed: false, error: 'secret words' }])
    cursor = page.next
    more = cursor !== undefined
  }
  expect(seen).toEqual([1, 2, 3, 4, 5].map(n => `eval case ${n}`).concat('eval newest'))
  expect(new Set(traces).size).toBe(6)
  const all = await exported(api, { projectId, limit: 100_000, sourceTypes: 'eval, swarm' })
  expect(all.names).toHaveLength(6)
  const first = all.spans.find(({ name }) => name === 'eval case 1')!
  expect(first.startTimeUnixNano).toBe('1700000000001000000')
  expect(valueOf(first, 'gen_ai.usage.input_tokens')).toBe('1')
  expect(all.text).not.toContain('secret words')
  expect((await exported(api, { projectId, sourceTypes: 'direct' })).spans).toEqual([])
})

test('a trial in progress is exported once it has ended', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests: [longCase('long', 1)] }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await until(
    () => api.call(contract.sessions.list, { projectId }),
    ({ items }) => items.length > 0,
  )
  expect((await exported(api, { projectId })).names).toEqual([])
  await untilEnded(api, projectId, runId)
  expect((await exported(api, { projectId })).names).toEqual(['eval long'])
})

test('wrong options, foreign projects and cursors of other exports are refused', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  const results = [1, 2].map(n => ({ caseTitle: `${n}`, passed: true }))
  for (const id of [projectId, other.id]) await report(api, id, results)
  const { next: cursor } = await exported(api, { projectId, limit: 1 })
  for (const [query, field] of [
    [{}, 'projectId'],
    [{ projectId, limit: 0 }, 'limit'],
    [{ projectId, limit: 'all' }, 'limit'],
    [{ projectId, sourceTypes: 'eval,dream' }, 'sourceTypes'],
    [{ projectId, sourceTypes: '' }, 'sourceTypes'],
    [{ projectId, includeContent: 'maybe' }, 'includeContent'],
    [{ projectId, cursor: 'forged' }, 'cursor'],
    [{ projectId: other.id, cursor }, 'cursor'],
    [{ projectId, cursor, sourceTypes: 'eval' }, 'cursor'],
  ] as const)
    expect({ query, ...(await api.refused(traceExports.otlp, query)) }).toMatchObject({
      query,
      status: 400,
      details: { field },
    })
  expect(await api.refused(traceExports.otlp, { projectId: 'prj_none' })).toMatchObject({ status: 404 })
  const { key } = makeKey(store, 'narrow', { grants: { [other.id]: 'member' } })
  expect(await api.refused(traceExports.otlp, { projectId }, { key })).toMatchObject({ status: 404 })
})

test('no repository is connected to a local workspace, and none can be', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const organizationId = (await api.call(account.organizations)).items[0]!.id
  expect(await api.call(checkRepos.list, { organizationId })).toEqual({
    organizationId,
    available: false,
    items: [],
    connectable: null,
  })
  const body = { projectId, suiteId, repo: 'me/mine', outagePolicy: 'fail_open' }
  expect(await api.refused(checkRepos.connect, { organizationId, body })).toMatchObject({
    status: 422,
    code: 'FEATURE_NOT_SUPPORTED',
    message: expect.stringContaining('report it through eval ingest'),
  })
  expect(await api.refused(checkRepos.list, { organizationId: 'org_other' })).toMatchObject({ status: 404 })
  const none = { ...body, repo: undefined }
  expect(await api.refused(checkRepos.connect, { organizationId, body: none })).toMatchObject({
    details: { field: 'repo' },
  })
})
