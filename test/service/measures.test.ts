import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, until } from './harness.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'
import { helper, published, visitor } from './visits.ts'

const { userTesting, userTestingFindings, userTestingInsights } = contract

const NOON = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** An assistant that, depending on the message, adds wrongly or correctly, refuses, or only answers. */
const moody = (asked: Asked): Answer => {
  const said = (asked.prompts.at(-1) ?? '').toLowerCase()
  if (said.includes('refuse')) return { status: 400, message: 'no' }
  if (!said.includes('wrong') || asked.results.length > 0) return helper(asked)
  return { calls: [{ name: 'get-sum', args: { a: 'two', b: 3 } }] }
}

async function study(options: { longestPauseMs?: number } = {}) {
  const model = await scriptedModel(moody)
  const clock = { now: NOON }
  const service = await open({ models: model.settings, now: () => clock.now, log: () => {}, ...options })
  const place = await published(service.api, { mode: 'anyone_with_link' })
  const { api } = service
  const { target } = place
  const signals = async () => (await api.call(userTestingInsights.signals, target)) as unknown as Signals
  const findings = async () =>
    (await api.call(userTestingFindings.list, target)).items.map(({ dimension, status }) => ({ dimension, status }))
  return { ...service, ...place, clock, visit: visitor(api.fetch, place.link), signals, findings }
}

type Signals = {
  windowId: string
  windowStartAt: number
  windowEndAt: number
  sessionCount: number
  signals: { kind: string; subject: object; count: number; sessionCount: number; evidence: object[] }[]
}

test('a scenario has no measurements before its first visitor', async () => {
  const { api, target } = await study()
  for (const read of [userTestingInsights.metrics, userTestingInsights.usage, userTestingInsights.signals])
    expect(await api.refused(read, target)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
})

test('metrics and usage count what visitors did', async () => {
  const { api, target, visit, clock, serverId } = await study()
  const first = await visit.enter()
  await first.say('add the numbers')
  await first.say('add it wrong')
  await first.rate({ rating: 4 })
  await first.end()
  clock.now += MINUTE
  const second = await visit.enter({ key: api.key })
  expect((await second.say('refuse')).status).toBe(502)
  clock.now += MINUTE
  await visit.enter()
  const metrics = await api.call(userTestingInsights.metrics, target)
  expect(metrics).toMatchObject({
    population: 'all',
    scan: { sessions: 3, totalSessions: 3, truncated: false },
    sessions: 3,
    liveSessions: 2,
    messages: 8,
    answers: 2,
    failedAnswers: 1,
    answeredSessions: 1,
    abandonedSessions: 0,
    endedByVisitor: 1,
    completionRate: 1 / 3,
    toolCalls: 2,
    toolErrors: 1,
    toolErrorRate: 0.5,
    // Each call and each text after it is an answer of the model, of 15 tokens.
    tokens: 60,
    feedback: { sessions: 1, rate: 1 / 3, averageRating: 4 },
    cohorts: { authType: { guest: 2, signedIn: 1 }, recency: { unknown: 2, new: 1 } },
    firstSessionAt: NOON,
    lastActivityAt: NOON + 2 * MINUTE,
  })
  const real = await api.call(userTestingInsights.metrics, { ...target, population: 'real' })
  expect(real).toEqual({ ...metrics, population: 'real' })
  const synthetic = { ...target, population: 'synthetic' }
  expect(await api.refused(userTestingInsights.metrics, synthetic)).toMatchObject({ status: 404 })
  clock.now += 30 * MINUTE
  expect(await api.call(userTestingInsights.metrics, target)).toMatchObject({
    abandonedSessions: 1,
    abandonmentRate: 1 / 3,
  })
  expect(await api.call(userTestingInsights.usage, target)).toMatchObject({
    scan: { truncated: false },
    models: [{ modelId: 'small', sessions: 1, answers: 2, tokens: 60 }],
    tools: [{ serverId, serverName: 'everything', toolName: 'get-sum', calls: 2, errors: 1, sessions: 1 }],
    servers: [{ serverId, calls: 2, errors: 1 }],
  })
})

describe('signals', () => {
  test('are found in failures of visitors, those in the most sessions first', async () => {
    const { visit, clock, signals, scenarioId, serverId } = await study()
    const first = await visit.enter()
    await first.say('add it wrong, please')
    await first.say('Add it WRONG please!')
    await first.rate({ rating: 1, comment: 'it is broken' })
    await first.end()
    const second = await visit.enter()
    await second.say('do it wrong')
    const third = await visit.enter()
    await third.say('refuse')
    const subject = { kind: 'scenario', id: scenarioId, label: 'Study' }
    const before = await signals()
    expect(before).toMatchObject({
      windowStartAt: NOON - DAY / 2,
      windowEndAt: NOON + DAY / 2,
      sessionCount: 3,
      signals: [
        {
          kind: 'tool_error',
          subject: { kind: 'tool', id: `${serverId}/get-sum`, label: 'get-sum' },
          count: 3,
          sessionCount: 2,
          evidence: [{ kind: 'tool_error', toolName: 'get-sum', excerpt: expect.stringMatching(/./) }, {}, {}],
        },
        { kind: 'answer_failed', subject, count: 1, evidence: [{ errorCode: 'VALIDATION_ERROR' }] },
        { kind: 'repeated_question', subject, count: 1, evidence: [{ excerpt: 'Add it WRONG please!' }] },
        { kind: 'negative_feedback', subject, count: 1, evidence: [{ kind: 'feedback', excerpt: 'it is broken' }] },
      ],
    })
    // A visitor who left after a failure without a message is only detected by the silence.
    clock.now += 30 * MINUTE
    const after = await signals()
    expect(after.windowId).toBe(before.windowId)
    expect(after.signals.find(({ kind }) => kind === 'abandonment')).toMatchObject({
      subject,
      count: 2,
      sessionCount: 2,
      evidence: [{ excerpt: 'do it wrong' }, { excerpt: 'refuse' }],
    })
  })

  test('change the findings from day to day', async () => {
    const { visit, clock, signals, findings } = await study()
    const day = async (...words: string[]) => {
      const session = await visit.enter()
      for (const text of words) await session.say(text)
      await session.end()
      const { windowId } = await signals()
      const seen = await findings()
      clock.now += DAY
      return { windowId, seen }
    }
    const first = await day('add it wrong')
    expect(first.seen).toEqual([{ dimension: 'tool_error', status: 'new' }])
    const second = await day('do it wrong')
    expect(second.seen).toEqual([{ dimension: 'tool_error', status: 'recurring' }])
    expect(second.windowId).not.toBe(first.windowId)
    // A day on which nobody used the tool proves nothing about it.
    expect((await day('hello')).seen).toEqual([{ dimension: 'tool_error', status: 'recurring' }])
    expect((await day('add the numbers')).seen).toEqual([{ dimension: 'tool_error', status: 'resolved' }])
    expect((await day('add it wrong')).seen).toEqual([{ dimension: 'tool_error', status: 'regressed' }])
  })

  test('belong to the day a session began on, also if it is read again after midnight', async () => {
    const { visit, clock, signals, findings } = await study()
    clock.now = NOON + DAY / 2 - MINUTE
    const late = await visit.enter()
    await late.say('hello')
    const first = await signals()
    clock.now += 2 * MINUTE
    const early = await visit.enter()
    await early.say('add the numbers')
    const second = await signals()
    expect(second.windowId).not.toBe(first.windowId)
    expect(second.sessionCount).toBe(1)
    await late.say('add it wrong')
    expect((await signals()).windowId).toBe(second.windowId)
    // The failure belongs to the first day, and the second day, on which the tool worked, came after it.
    expect(await findings()).toEqual([{ dimension: 'tool_error', status: 'resolved' }])
  })

  test('are found without a request, and shown to members with the scenario', async () => {
    const { api, target, visit, store, scenarioId } = await study({ longestPauseMs: 20 })
    expect(await api.call(userTesting.get, target)).not.toHaveProperty('insights')
    const session = await visit.enter()
    await session.say('hello')
    const window = await until(
      () => store.visitorSessions.windows.latest(scenarioId),
      latest => latest !== undefined,
    )
    expect(await api.call(userTesting.get, target)).toMatchObject({
      insights: { status: 'not_requested', scope: { kind: 'user_testing_window', id: window!.id } },
    })
  })
})
