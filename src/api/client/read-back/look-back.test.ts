import { expect, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { contract } from '../../contract/contract.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { createClient } from '../client.ts'
import type { ReadBackAnswer } from './lookups.ts'
import { readBackOf } from './read-back.ts'

const THEN = 1_700_000_000_000
const DAY_MS = 24 * 60 * 60_000
const run = { id: 'r', suiteId: 's', status: 'completed', createdAt: THEN - DAY_MS }

/** Reads back a write made at `THEN`, a day later, with `answerOf` as the service's answer to every read. */
async function lookBack(endpoint: AnyEndpoint, input: object, answerOf: (url: URL) => object): Promise<ReadBackAnswer> {
  const client = createClient({
    baseUrl: 'http://service.test/api/v1/',
    key: 'sk_test',
    clock: new VirtualClock(),
    fetch: overWeb(async request => {
      const url = new URL(request.url)
      const isOffer = url.pathname.endsWith('/capabilities')
      return Response.json(isOffer ? { local: [contract.calls.list.operation] } : answerOf(url))
    }),
  })
  const sent = { intendedAt: THEN, lastSeenAt: THEN, sent: true, isClaimed: true }
  const entry = { id: 1, operation: endpoint.operation, input: { ...input }, complete: true, idempotencyKey: undefined }
  return await readBackOf(endpoint)!({
    client,
    endpoint,
    entry: { ...entry, ...sent },
    knownRunIds: new Set(),
    hasRivals: false,
    now: THEN + DAY_MS,
    options: {},
  })
}

const { requestInsights, requestJudge } = contract.runs
const ofRun = (endpoint: AnyEndpoint, shown: object) =>
  lookBack(endpoint, { projectId: 'p', runId: 'r' }, () => ({ ...run, ...shown }))

test('insights that failed again may result from the request, whenever the last ones were generated', async () => {
  const insights = { status: 'failed', generatedAt: THEN - DAY_MS, updatedAt: THEN + 1_000 }
  expect(await ofRun(requestInsights, { insights })).toMatchObject({
    finding: 'cannot-be-known',
    seen: 'an analysis from that time is failed',
  })
  const before = { ...insights, updatedAt: THEN - DAY_MS }
  expect(await ofRun(requestInsights, { insights: before })).toMatchObject({ finding: 'did-not-happen' })
})

test('an analysis without a time may be the result of the request, unless none was requested', async () => {
  const judged = (status: string | null) => ofRun(requestJudge, { judges: { goalCompletion: { status } } })
  expect(await judged('failed')).toEqual({
    finding: 'cannot-be-known',
    because: 'an analysis is failed, and does not say since when',
  })
  const again = { goalCompletion: { status: 'failed', generatedAt: THEN - DAY_MS } }
  expect(await ofRun(requestJudge, { judges: again })).toMatchObject({ finding: 'cannot-be-known' })
  const last = { goalCompletion: { status: 'completed', generatedAt: THEN - DAY_MS } }
  expect(await ofRun(requestJudge, { judges: last })).toMatchObject({ finding: 'did-not-happen' })
  expect(await judged(null)).toMatchObject({ finding: 'did-not-happen' })
  expect(await ofRun(requestInsights, { insights: { status: 'not_requested' } })).toMatchObject({
    finding: 'did-not-happen',
  })
})

const call = { id: 'c', kind: 'tool', target: 'echo', startedAt: THEN - DAY_MS }

test.each([
  ['that had ended', { status: 'answered', durationMs: 5 }, 'did-not-happen'],
  ['that lost its program', { status: 'unknown', durationMs: null }, 'cannot-be-known'],
  ['that ended afterwards', { status: 'answered', durationMs: 2 * DAY_MS }, 'cannot-be-known'],
  ['that still runs', { status: 'running', durationMs: null }, 'happened'],
])('after clearing the list of calls, the list still has a call %s', async (_, fields, finding) => {
  const place = { projectId: 'p', serverId: 's' }
  const answer = await lookBack(contract.calls.clear, place, () => ({ items: [{ ...call, ...fields }] }))
  expect(answer).toMatchObject({ finding })
})

test('calls are searched back to the earliest time at which the call can have been made', async () => {
  const cursors: (string | null)[] = []
  const input = { projectId: 'p', serverId: 's', body: { toolName: 'echo', parameters: {} } }
  const answer = await lookBack(contract.servers.callTool, input, ({ searchParams }) => {
    const cursor = searchParams.get('cursor')
    cursors.push(cursor)
    const startedAt = cursor === null ? THEN + DAY_MS : THEN - DAY_MS
    return {
      items: [{ ...call, id: `c${cursors.length}`, startedAt, status: 'answered', durationMs: 5 }],
      nextCursor: `${cursors.length}`,
    }
  })
  expect(answer).toMatchObject({ finding: 'did-not-happen' })
  expect(cursors).toEqual([null, '1'])
})

test.each([
  ['still runs', { status: 'running', durationMs: null }],
  ['lost its program', { status: 'unknown', durationMs: null }],
  ['ended since', { status: 'answered', durationMs: 2 * DAY_MS }],
])(
  'it stays unknown whether a call was made if an earlier one %s, since the list may have been cleared',
  async (_, fields) => {
    const input = { projectId: 'p', serverId: 's', body: { toolName: 'echo', parameters: {} } }
    const answer = await lookBack(contract.servers.callTool, input, () => ({ items: [{ ...call, ...fields }] }))
    expect(answer).toMatchObject({ finding: 'cannot-be-known' })
  },
)

test('a start of a readiness run did not happen only if the one page of latest runs reaches back to it', async () => {
  const started = (createdAt: number, nextCursor: string | null) =>
    lookBack(contract.readiness.startClaude, { projectId: 'p', serverId: 's' }, () => ({
      items: [{ id: 'late', status: 'completed', createdAt }],
      nextCursor,
    }))
  const unknown = { finding: 'cannot-be-known', because: 'only the latest 1 readiness runs can be read' }
  expect(await started(THEN + DAY_MS / 2, 'more')).toEqual(unknown)
  expect(await started(THEN + DAY_MS / 2, null)).toMatchObject({ finding: 'did-not-happen' })
  expect(await started(THEN - DAY_MS, 'more')).toMatchObject({ finding: 'did-not-happen' })
  expect(await started(THEN, 'more')).toMatchObject({ seen: 'readiness run late began then' })
})

test('a launch of some cases has no likely result, because a run of others would look the same', async () => {
  const launched = (body: object, shown: object = {}) =>
    lookBack(contract.runs.create, { projectId: 'p', body: { suiteId: 's', ...body } }, () => ({
      items: [{ ...run, createdAt: THEN, ...shown }],
    }))
  expect(await launched({})).toMatchObject({ result: { runId: 'r' } })
  const some = await launched({ caseIds: ['a'] }, { selectedCaseCount: 1 })
  expect(some).toMatchObject({ finding: 'cannot-be-known', seen: 'run r began then and is completed' })
  expect(some).not.toHaveProperty('result')
  expect(await launched({ caseIds: ['a'] }, { selectedCaseCount: 2 })).toMatchObject({ finding: 'did-not-happen' })
})
