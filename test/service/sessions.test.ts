import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { longCase, open, sandbox, until, untilEnded, type Api } from './harness.ts'

const { sessions, chatSessions, evalIngest, projects, runs, suites } = contract

type Result = { caseTitle: string } & Record<string, unknown>

/** Sessions as reported by another program, in the named project. */
async function report(api: Api, projectId: string, results: Result[]) {
  const body = { suiteName: 'Reported', results: results.map(result => ({ passed: true, ...result })) }
  return (await api.call(evalIngest.report, { projectId, body }))['runId'] as string
}

/** Every page of the feed, requested with the same options. */
async function pages(api: Api, query: Record<string, unknown>, between: () => Promise<unknown> = async () => {}) {
  const seen = []
  for (let cursor: string | undefined; ; await between()) {
    const page = await api.call(sessions.list, { ...query, ...(cursor !== undefined && { cursor }) })
    seen.push(...page.items)
    if (!page.nextCursor) return seen
    cursor = page.nextCursor
  }
}

const titles = (items: { title?: string | null | undefined }[]) => items.map(({ title }) => title)

test('trials that began are sessions, with the latest activity first', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  expect(await api.call(sessions.list, { projectId })).toEqual({ items: [], scope: 'titles' })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const startedAt = Date.now() + 60_000
  const usage = { tokens: { input: 7, output: 3 }, model: 'gpt-x' }
  await report(api, projectId, [
    { caseTitle: 'later', query: 'What now?', trace: 'Nothing.', startedAt, durationMs: 10, ...usage },
  ])
  const all = (await api.call(sessions.list, { projectId, limit: 200 })).items
  expect(all).toHaveLength(16)
  expect(all[0]).toMatchObject({
    projectId,
    sourceType: 'eval',
    origin: 'sdk',
    status: 'active',
    title: 'later',
    firstMessagePreview: 'What now?',
    startedAt,
    lastActivityAt: startedAt + 10,
    modelId: 'gpt-x',
    messageCount: 1,
    cumulativeToolCallCount: 0,
    cumulativeInputTokens: 7,
    cumulativeOutputTokens: 3,
    parentRef: { kind: 'evalRun', label: 'Reported #1' },
    visibility: null,
  })
  expect(all[0]!.chatSessionId).not.toBe(all[0]!.id)
  expect(all.slice(1).every(({ parentRef }) => parentRef?.suiteRunId === runId)).toBe(true)
  const times = all.map(({ lastActivityAt }) => Number(lastActivityAt))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  const filtered = (query: object) => api.call(sessions.list, { projectId, ...query })
  expect((await filtered({ sourceType: 'direct,swarm' })).items).toEqual([])
  expect((await filtered({ sourceType: 'direct, eval', limit: 3 })).items).toHaveLength(3)
  expect((await filtered({ status: 'archived' })).items).toEqual([])
})

test('a trial in progress is in the feed, and gets its counts when it ends', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests: [longCase('long', 60)] }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  const { items } = await until(
    () => api.call(sessions.list, { projectId }),
    page => page.items.length > 0,
  )
  // The messages are recorded when the trial ends.
  expect(items).toMatchObject([{ title: 'long', messageCount: 0 }])
  expect(items[0]).not.toHaveProperty('cumulativeToolCallCount')
  await api.call(runs.cancel, { projectId, runId })
})

test('a search by title counts words, and a search by transcript counts occurrences', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const at = (minute: number) => ({ startedAt: minute * 60_000 })
  await report(api, projectId, [
    { caseTitle: 'Refund an order', query: 'Hello', trace: 'The Zebra sleeps.', ...at(1) },
    { caseTitle: 'Cancel', query: 'I want a refund for my order', trace: 'zebra zebra', ...at(2) },
    { caseTitle: 'Order', query: 'refund', trace: 'a horse', ...at(3) },
    {
      caseTitle: 'Refund twice, order once',
      trace: [{ role: 'user', content: [{ type: 'text', text: 'zebra?' }] }],
      ...at(4),
    },
  ])
  const find = (query: object) => api.call(sessions.list, { projectId, ...query })
  const byTitle = await find({ q: 'ORDER refund' })
  expect(byTitle.scope).toBe('titles')
  expect(titles(byTitle.items)).toEqual(['Refund twice, order once', 'Refund an order', 'Order', 'Cancel'])
  expect(byTitle.items[0]).not.toHaveProperty('matchPreview')
  const said = await find({ q: 'zebra', scope: 'transcripts' })
  expect(said.scope).toBe('transcripts')
  expect(said.items.map(({ title, matchPreview }) => [title, matchPreview])).toEqual([
    ['Cancel', 'zebra zebra'],
    ['Refund twice, order once', 'zebra?'],
    ['Refund an order', 'The Zebra sleeps.'],
  ])
  expect(titles((await find({ q: 'zebra' })).items)).toEqual(['Refund twice, order once'])
  for (const query of [{ q: '' }, { q: '  ' }, { q: 'order nowhere' }, { q: 'sleeps' }])
    expect((await find(query)).items).toEqual([])
  expect((await find({ q: 'refund', sourceType: 'swarm' })).items).toEqual([])
  expect(titles(await pages(api, { projectId, q: 'order', limit: 1 }))).toEqual([
    'Refund twice, order once',
    'Order',
    'Refund an order',
    'Cancel',
  ])
})

test('a cursor belongs to the list and the options that returned it', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  await report(api, projectId, [{ caseTitle: 'a b' }, { caseTitle: 'b a' }, { caseTitle: 'a' }])
  const next = async (query: object) => (await api.call(sessions.list, { projectId, limit: 1, ...query })).nextCursor!
  const [feed, search] = [await next({}), await next({ q: 'a' })]
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  for (const query of [
    { cursor: search },
    { cursor: feed, q: 'a' },
    { cursor: search, q: 'b' },
    { cursor: search, q: 'a', scope: 'transcripts' },
    { cursor: feed, sourceType: 'eval' },
    { cursor: feed, status: 'archived' },
    { cursor: feed, projectId: other.id },
    { cursor: '' },
  ])
    expect({ query, ...(await api.refused(sessions.list, { projectId, ...query })) }).toMatchObject({
      query,
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field: 'cursor' },
    })
  for (const [query, field] of [
    [{ sourceType: 'eval,dream' }, 'sourceType'],
    [{ scope: 'titles' }, 'scope'],
    [{ limit: 201 }, 'limit'],
    [{ status: 'gone' }, 'status'],
  ] as const)
    expect(await api.refused(sessions.list, { projectId, ...query })).toMatchObject({ status: 400, details: { field } })
})

test('pages hold every session once and in order, even if sessions are added meanwhile', async () => {
  const { api } = await open()
  const minutes = (maxLength: number) => fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength })
  const cases = fc.record({ first: minutes(12), between: minutes(3), limit: fc.integer({ min: 1, max: 4 }) })
  await fc.assert(
    fc.asyncProperty(cases, async ({ first, between, limit }) => {
      const { id: projectId } = await api.call(projects.create, { body: { name: 'p' } })
      const add = (list: number[]) =>
        report(
          api,
          projectId,
          list.map(at => ({ caseTitle: 'word', startedAt: at * 60_000 })),
        )
      await add(first)
      for (const query of [{}, { q: 'word' }]) {
        const before = (await api.call(sessions.list, { projectId, limit: 200, ...query })).items
        const known = before.map(({ id }) => id)
        const more = between.values()
        const insert = async () => {
          const { value } = more.next()
          if (value !== undefined) await add([value])
        }
        const ids = (await pages(api, { projectId, limit, ...query }, insert)).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.filter(id => known.includes(id))).toEqual(known)
      }
    }),
    { numRuns: 15 },
  )
})

test('a forged cursor is refused, however it was changed', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  await report(api, projectId, [{ caseTitle: 'a' }, { caseTitle: 'b' }])
  const cursor = (await api.call(sessions.list, { projectId, limit: 1 })).nextCursor!
  const forged = fc.oneof(
    fc.base64String({ minLength: 1, maxLength: 80 }),
    fc.nat(cursor.length - 1).map(at => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)),
    fc.nat(cursor.length - 1).map(length => cursor.slice(0, length)),
    fc.string({ minLength: 1, maxLength: 4 }).map(more => cursor + more),
  )
  await fc.assert(
    fc.asyncProperty(forged, async text => {
      expect(await api.refused(sessions.list, { projectId, cursor: text })).toMatchObject({
        status: 400,
        details: { field: 'cursor' },
      })
    }),
    { numRuns: 60 },
  )
})

test('chat sessions of all projects of the caller are listed, latest activity first', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const other = (await api.call(projects.create, { body: { name: 'Other' } })).id
  await report(api, projectId, [
    { caseTitle: 'first', startedAt: 1000 },
    { caseTitle: 'third', startedAt: 3000 },
  ])
  await report(api, other, [{ caseTitle: 'second', startedAt: 2000, durationMs: 500 }])
  const list = (query: object = {}, key?: string) =>
    api.call(chatSessions.list, { ...query }, key === undefined ? {} : { key })
  const all = await list()
  expect(titles(all.items)).toEqual(['third', 'second', 'first'])
  expect(all.items[1]).toMatchObject({
    projectId: other,
    visibility: 'project',
    status: 'active',
    createdAt: 2000,
    lastActivityAt: 2500,
  })
  const first = await list({ limit: 2 })
  expect(titles((await list({ limit: 2, before: first.nextCursor })).items)).toEqual(['first'])
  expect(titles((await list({ projectId: other })).items)).toEqual(['second'])
  expect((await list({ status: 'archived' })).items).toEqual([])
  const { key } = makeKey(store, 'narrow', { grants: { [other]: 'member', [projectId]: 'guest' } })
  expect(titles((await list({}, key)).items)).toEqual(['second'])
  expect(await api.refused(chatSessions.list, { projectId }, { key })).toMatchObject({ status: 403 })
  expect(await api.refused(chatSessions.list, { before: first.nextCursor }, { key })).toMatchObject({
    status: 400,
    details: { field: 'cursor' },
  })
  expect(await api.refused(chatSessions.list, { projectId: 'prj_none' })).toMatchObject({ status: 404 })
  expect(await api.refused(chatSessions.list, { cursor: 'x' })).toMatchObject({ status: 400 })
})
