import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { ServiceOptions } from '../../src/service/workspace/service.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { json } from './analysis-runs.ts'
import { createApi, echoCase, open, sandbox, until, untilEnded } from './harness.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'

const { cases, clients, environments, runs, servers, suites } = contract

const echo = (message: string) => ({ toolName: 'echo', arguments: { message } })
const turn = (prompt: string, ...expectedToolCalls: object[]) => ({ prompt, expectedToolCalls })
const draft = (title: string, more: object = {}) => ({
  bucket: 'simple',
  title,
  scenario: 'Someone in a hurry.',
  turns: [turn(`Say ${title}`, echo(title))],
  expectedOutput: `It says ${title}.`,
  ...more,
})
const negative = (title: string) => draft(title, { bucket: 'negative', turns: [turn(`Tell me about ${title}`)] })

/** Number of cases of each kind that the model was told to draft. */
function wantedOf({ system }: Asked): Record<string, number> {
  const lines = system.matchAll(/exactly (\d+) of bucket "(\w+)"/g)
  return Object.fromEntries([...lines].map(([, count, bucket]) => [bucket, Number(count)]))
}

async function workspace(script: (asked: Asked) => Answer, options: Partial<ServiceOptions> = {}) {
  const { settings, asked } = await scriptedModel(script)
  const service = await open({ models: { ...settings, model: 'author' }, ...options })
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'Own', model: 'suite/model', serverIds: [serverId], tests: [echoCase('known', 'a')] }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const place = { projectId, suiteId }
  const generate = (more?: object, headers?: Record<string, string>) =>
    api.call(cases.generate, { ...place, ...(more && { body: more }) }, headers && { headers })
  const refuse = (more?: object, headers?: Record<string, string>) =>
    api.refused(cases.generate, { ...place, ...(more && { body: more }) }, headers && { headers })
  const titles = async () => (await api.call(cases.list, place)).items.map(({ title }) => title)
  const used = () =>
    service.store.quotaUses.since(service.store.settings.get('localOrganizationId')!, 'generation', 0).count
  return { ...service, asked, projectId, serverId, suiteId, place, generate, refuse, titles, used }
}

test('cases are drafted against the live tools, saved, and can be run', async () => {
  const conversation = draft('twice', {
    bucket: 'multiTurn',
    turns: [turn('Say one', echo('one')), turn('And print the environment', { toolName: 'get-env', arguments: {} })],
  })
  const { api, asked, place, generate, titles, used } = await workspace(({ system }) =>
    // The same model plays the assistant that these cases are for.
    system.includes('You write test cases')
      ? json({ cases: [draft('hello'), conversation, negative('the weather')] })
      : { text: 'Fine.' },
  )
  const generated = await generate()
  expect(generated).toMatchObject({
    generationModel: 'author',
    counts: { normal: 2, negative: 1 },
    skipped: [],
    created: [
      {
        title: 'hello',
        scenario: 'Someone in a hurry.',
        expectedOutput: 'It says hello.',
        isNegative: false,
        steps: [
          { kind: 'prompt', prompt: 'Say hello' },
          {
            kind: 'assert',
            assertion: { type: 'toolCalledWith', toolName: 'echo', args: { args: { message: 'hello' } } },
          },
        ],
      },
      {
        title: 'twice',
        steps: [
          { kind: 'prompt' },
          { kind: 'assert' },
          { kind: 'prompt' },
          { kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName: 'get-env' } },
        ],
      },
      { title: 'the weather', isNegative: true, steps: [{ kind: 'prompt' }] },
    ],
  })
  expect(await titles()).toEqual(['known', 'hello', 'twice', 'the weather'])
  expect(used()).toBe(1)
  expect(wantedOf(asked[0]!)).toEqual({ simple: 3, multiTool: 2, multiTurn: 2, complex: 1, negative: 2 })
  const prompt = asked[0]?.prompts[0] ?? ''
  for (const shown of ['"get-sum"', '"everything"', 'existing_titles>\n["known"]']) expect(prompt).toContain(shown)
  const caseIds = generated.created.map(({ id }) => id)
  const { runId } = await api.call(runs.create, {
    projectId: place.projectId,
    body: { suiteId: place.suiteId, caseIds },
  })
  const run = await untilEnded(api, place.projectId, runId)
  expect(run).toMatchObject({ status: 'completed', summary: { total: 3, passed: 1, failed: 2 } })
})

test.each([
  [{ mode: 'normal' }, { simple: 3, multiTool: 2, multiTurn: 2, complex: 1 }],
  [{ mode: 'negative' }, { negative: 5 }],
  [
    { mode: 'negative', caseMix: { simple: 10, multiTool: 0, negative: 0 } },
    { simple: 10, multiTurn: 2, complex: 1 },
  ],
  [{ caseMix: {} }, { simple: 3, multiTool: 2, multiTurn: 2, complex: 1, negative: 2 }],
])('the model is told the mix %j', async (body, wanted) => {
  const { asked, generate } = await workspace(() => json({ cases: [draft('a')] }))
  await generate({ ...body, varyUserStyles: true })
  expect(wantedOf(asked[0]!)).toEqual(wanted)
  expect(asked[0]?.system).toContain('written by different users')
})

test('models are assigned to the cases, and groups never exceed their size', async () => {
  const { generate, titles } = await workspace(() => json({ cases: ['a', 'b', 'c'].map(title => draft(title)) }))
  const caseModels = [{ model: 'openai/gpt-x' }, { model: 'm', provider: 'p' }]
  const generated = await generate({ caseMix: { simple: 2 }, caseModels })
  expect(generated.created.map(({ models }) => models)).toEqual(
    ['a', 'b'].map(() => [
      { model: 'openai/gpt-x', provider: 'openai' },
      { model: 'm', provider: 'p' },
    ]),
  )
  expect(generated.skipped).toEqual([
    { title: 'c', bucket: 'simple', code: 'INVALID_CASE', message: expect.stringContaining('More cases') },
  ])
  expect(await titles()).toEqual(['known', 'a', 'b'])
})

test('drafts that could not be run or would check nothing are reported and not saved', async () => {
  const flawed = [
    [draft(' '), 'no title'],
    [draft('no turns', { turns: [] }), 'no prompt'],
    [draft('empty', { turns: [turn(' ', echo('x'))] }), 'no prompt'],
    [draft('unknown', { turns: [turn('Go', { toolName: 'rm-rf', arguments: {} })] }), 'no tool "rm-rf"'],
    [draft('misspelt', { turns: [turn('Go', { toolName: 'echo', arguments: { text: 1 } })] }), 'no parameter "text"'],
    [draft('idle', { turns: [turn('Go')] }), 'check nothing'],
    [draft('long', { expectedOutput: 'x'.repeat(4001) }), 'longer than'],
    [{ ...negative('acts'), turns: [turn('Go', echo('x'))] }, 'expects no call'],
  ] as const
  const twin = draft('twin', { turns: [turn('Say sound', echo('sound'))], expectedOutput: 'It says sound.' })
  const all = [...flawed.map(([each]) => each), draft('sound'), twin]
  const { generate, titles } = await workspace(() => json({ cases: all }))
  const { created, skipped } = await generate({ caseMix: { simple: 10 } })
  expect(created.map(({ title }) => title)).toEqual(['sound'])
  expect(skipped?.map(({ code, message }) => [code, message])).toEqual([
    ...flawed.map(([, why]) => ['INVALID_CASE', expect.stringContaining(why)]),
    ['DUPLICATE_CONTENT', expect.stringContaining('"sound"')],
  ])
  expect(await titles()).toEqual(['known', 'sound'])
})

describe('the idempotency key of a generation', () => {
  const counting = () => {
    let count = 0
    return () => json({ cases: [draft(`case ${++count}`)] })
  }

  test.each([
    ['Idempotency-Key', { 'idempotency-key': 'k1' }, undefined],
    ['x-mcpjam-idempotency-key', { 'x-mcpjam-idempotency-key': 'k1' }, undefined],
    ['the body', undefined, { idempotencyKey: 'k1' }],
  ])('in %s makes a repeat use the earlier drafts', async (_where, headers, body) => {
    const { api, asked, place, generate, titles, used } = await workspace(counting())
    const first = await generate(body, headers)
    const second = await generate(body, headers)
    expect(second).toEqual(first)
    expect([asked.length, used(), await titles()]).toEqual([1, 1, ['known', 'case 1']])
    // A case that was deleted meanwhile is not created again.
    await api.call(cases.delete, { ...place, caseId: first.created[0]!.id })
    expect(await generate(body, headers)).toMatchObject({ created: [], counts: { normal: 0 } })
    expect([asked.length, await titles()]).toEqual([1, ['known']])
    await generate()
    expect([asked.length, used()]).toEqual([2, 2])
  })

  test('in a header takes precedence over one in the body, and belongs to one request', async () => {
    const { asked, generate, refuse } = await workspace(counting())
    await generate({ idempotencyKey: 'body' }, { 'idempotency-key': 'header' })
    await generate({ idempotencyKey: 'header' })
    expect(asked).toHaveLength(1)
    expect(await refuse({ idempotencyKey: 'header', mode: 'normal' })).toMatchObject({
      status: 409,
      details: { field: 'idempotencyKey' },
    })
    await generate({ idempotencyKey: 'body' })
    expect(asked).toHaveLength(2)
  })

  test('of two requests at once gives both the same cases', async () => {
    const { generate, titles } = await workspace(counting())
    const both = await Promise.all([generate({ idempotencyKey: 'k' }), generate({ idempotencyKey: 'k' })])
    expect(both[1]).toEqual(both[0])
    expect(await titles()).toHaveLength(2)
  })

  test('whose drafts were recorded before a crash gives cases without a model', async () => {
    const { store, suiteId, asked, generate, titles, used } = await workspace(counting())
    await generate({ idempotencyKey: 'k' })
    const [owner] = store.keys.list()
    const scope = `cases.generate/${suiteId}/${owner!.id}`
    const recorded = store.idempotency.find(scope, 'k')!
    store.write(() => store.idempotency.insert(scope, 'crashed', recorded.digest, recorded.reply))
    // A duplicate of an existing case is always refused, so that case is deleted first.
    store.write(() => store.cases.delete(store.cases.list(suiteId).at(-1)!.id))
    expect((await generate({ idempotencyKey: 'crashed' })).created).toHaveLength(1)
    expect([asked.length, used(), await titles()]).toEqual([1, 1, ['known', 'case 1']])
  })
})

describe('the tools that cases are generated for', () => {
  const script = () => json({ cases: [draft('a')] })

  test('are those of the named servers, by name or id', async () => {
    const { api, asked, projectId, generate, refuse } = await workspace(script, { log: () => {} })
    const gone = { name: 'gone', transportType: 'http', url: 'http://127.0.0.1:9/mcp', enabled: true }
    const { id } = await api.call(servers.create, { projectId, body: gone })
    await generate({ servers: ['everything'] })
    expect(await refuse({ servers: [id] })).toMatchObject({ status: 502, code: 'SERVER_UNREACHABLE' })
    expect(await refuse({ servers: ['nobody'] })).toMatchObject({ status: 404 })
    expect(asked).toHaveLength(1)
  })

  test('of a suite with environments are those of one environment, whatever servers are named', async () => {
    const { api, asked, projectId, serverId, place, generate, refuse } = await workspace(script)
    const config = { modelId: 'openai/gpt-x', serverIds: [serverId] }
    const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
    const attach = async (name: string) => {
      const body = { name, hostId: client.id }
      const { id } = await api.call(environments.create, { projectId, body })
      await api.call(suites.attachEnvironment, { ...place, body: { environmentId: id } })
      return id
    }
    expect(await refuse({ environmentId: 'env_none' })).toMatchObject({
      status: 400,
      details: { reason: 'ENVIRONMENT_NOT_ATTACHED' },
    })
    const first = await attach('a')
    await generate({ servers: ['nobody'] })
    await attach('b')
    expect(await refuse()).toMatchObject({ status: 400, details: { reason: 'ENVIRONMENT_REQUIRED' } })
    await generate({ environmentId: first })
    expect(asked).toHaveLength(2)
    expect(asked[1]?.prompts[0]).toContain('"get-sum"')
  })
})

describe('the daily quota of generations', () => {
  test('counts requests, and its refusal says when it is restored', async () => {
    const { store, asked, refuse, generate, titles } = await workspace(() => json({ cases: [draft('a')] }))
    const organizationId = store.settings.get('localOrganizationId')!
    store.write(() => store.organizationSettings.set(organizationId, 'generationsPerDay', '1'))
    await generate({ idempotencyKey: 'k' })
    const refusal = await refuse()
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED', details: { limit: 'generationsPerDay' } })
    const seconds = Number(refusal.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(86_400)
    // The drafts are still stored for their key.
    expect((await generate({ idempotencyKey: 'k' })).created).toHaveLength(1)
    expect([asked.length, await titles()]).toEqual([1, ['known', 'a']])
  })

  test('is not used up by requests that are refused as invalid', async () => {
    const { api, store, projectId, place, refuse, used } = await workspace(() => json({ cases: [] }))
    for (const [body, field] of [
      [{ caseMix: { simple: 11 } }, 'caseMix.simple'],
      [{ caseMix: { simple: -1 } }, 'caseMix.simple'],
      [{ caseMix: { huge: 1 } }, 'caseMix.huge'],
      [{ caseMix: { simple: 0, multiTool: 0, multiTurn: 0, complex: 0, negative: 0 } }, 'caseMix'],
      [{ mode: 'all' }, 'mode'],
      [{ idempotencyKey: '' }, 'idempotencyKey'],
      [{ count: 3 }, 'count'],
    ] as const)
      expect(await refuse(body)).toMatchObject({ status: 400, details: { field } })
    expect(await api.refused(cases.generate, { projectId, suiteId: 'ste_none' })).toMatchObject({ status: 404 })
    const guest = createApi(api.fetch, makeKey(store, 'guest', { role: 'guest' }).key)
    expect(await guest.refused(cases.generate, place)).toMatchObject({ status: 403 })
    expect(used()).toBe(0)
  })
})

describe('a model that drafts no cases', () => {
  test.each([
    ['prose', { text: 'Sure, here are some ideas!' }, 500, 'INTERNAL_ERROR'],
    ['another shape', json({ cases: [{ title: 3 }] }), 500, 'INTERNAL_ERROR'],
    ['no case', json({ cases: [] }), 500, 'INTERNAL_ERROR'],
    ['a refusal', { status: 401, message: 'no' }, 403, 'FORBIDDEN'],
  ])('but %s saves nothing, and the same key may be used again', async (_what, answer, status, code) => {
    const answers = [answer]
    const { asked, generate, refuse, titles } = await workspace(
      () => answers.shift() ?? json({ cases: [draft('a')] }),
      { log: () => {} },
    )
    expect(await refuse({ idempotencyKey: 'k' })).toMatchObject({ status, code })
    expect(await titles()).toEqual(['known'])
    expect((await generate({ idempotencyKey: 'k' })).created).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  test('because it is not configured makes the request say how to configure one', async () => {
    const { refuse, used } = await workspace(() => 'silence', { models: undefined })
    expect(await refuse()).toMatchObject({
      status: 422,
      code: 'FEATURE_NOT_SUPPORTED',
      message: expect.stringContaining('MCPDECK_MODEL'),
    })
    expect(used()).toBe(0)
  })

  test('is no longer asked when the caller hangs up', async () => {
    const { api, asked, place, titles } = await workspace(() => 'silence', { log: () => {} })
    const hangUp = new AbortController()
    const answer = api.send(cases.generate, place, { signal: hangUp.signal })
    await until(
      () => asked.length,
      count => count === 1,
    )
    hangUp.abort()
    expect((await answer).ok).toBe(false)
    expect(await titles()).toEqual(['known'])
  })
})
