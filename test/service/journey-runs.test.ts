import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { RUBRIC } from '../../src/service/journey-runs/rows.ts'
import { MODEL_KINDS } from '../../src/service/models/endpoint.ts'
import { open, sandbox } from './harness.ts'
import {
  cast,
  environment,
  graded,
  journey,
  json,
  plainJourney,
  runJourney,
  set,
  stage,
  untilOver,
} from './journey-cast.ts'
import { KEY, sum } from './model-runs.ts'
import { scriptedModel, TOKENS, type Answer, type Asked } from './scripted-model.ts'

const { journeys, journeyRuns, personas, sessions, traceExports } = contract

type Span = { name: string; spanId: string; parentSpanId?: string; startTimeUnixNano: string }

describe.each(MODEL_KINDS)('a journey launch with models behind an endpoint that speaks %s', kind => {
  test('plays two sessions on each of two targets with real tools, and grades them', async () => {
    const model = await scriptedModel(
      cast({ grader: ({ prompts }) => graded(prompts[0]!.includes('is 5') ? 0.9 : 0.1, ['grounded']) }),
      kind,
    )
    const { api, store } = await open({ models: { ...model.settings, apiKey: KEY, model: 'player' } })
    const first = await environment(api, 'first', { systemPrompt: 'Be brief.', temperature: 0.25 })
    const second = await environment(api, 'second')
    const { projectId, journeyId } = await journey(api, { environmentIds: [first.id, second.id], sessionsPerTarget: 2 })
    const launched = await api.call(journeyRuns.launch, { projectId, journeyId, body: { waveId: 'wave-1' } })
    expect(launched).toMatchObject({ journeyId, projectId, status: 'running' })
    const run = await untilOver(api, projectId, launched.id)
    expect(run).toMatchObject({
      journeyId,
      waveId: 'wave-1',
      status: 'completed',
      canceled: false,
      stale: false,
      summary: { total: 4, succeeded: 4, failed: 0, rateLimited: 0 },
      sessionsGraded: 4,
      failCount: 4,
      failedGradingCount: 0,
      persona: { name: 'Ada', role: 'bookkeeper' },
      targets: [
        { hostId: first.hostId, hostName: 'first client', targetId: first.id, modelId: 'first-model' },
        { hostId: second.hostId, hostName: 'second client', targetId: second.id, modelId: 'second-model' },
      ],
      targetSummaries: [
        { targetId: first.id, total: 2, succeeded: 2 },
        { targetId: second.id, total: 2, succeeded: 2 },
      ],
    })
    expect(run.error).toBeUndefined()
    expect(Number(run.lastHeartbeatAt)).toBeGreaterThanOrEqual(Number(run.createdAt))
    const places = run.attempts!.map(({ targetId, sessionIndex, status }) => [targetId, sessionIndex, status])
    expect(places).toEqual([
      [first.id, 0, 'succeeded'],
      [second.id, 0, 'succeeded'],
      [first.id, 1, 'succeeded'],
      [second.id, 1, 'succeeded'],
    ])

    const { items } = await api.call(journeyRuns.sessions, { projectId, runId: run.id })
    expect(new Set(items.map(({ chatSessionId }) => chatSessionId))).toEqual(
      new Set(run.attempts!.map(({ chatSessionId }) => chatSessionId)),
    )
    expect(items).toHaveLength(4)
    for (const item of items)
      expect(item).toMatchObject({
        runId: run.id,
        journeyId,
        personaLabel: 'Ada',
        status: 'active',
        outcome: 'succeeded',
        readiness: { grading: 'graded' },
        goalScore: { score: 0.9, passed: true, reason: 'as the transcript says' },
        messageCount: 2,
        preview: 'Add 2 and 3',
      })
    expect(items.map(({ modelId }) => modelId).toSorted()).toEqual([
      'first-model',
      'first-model',
      'second-model',
      'second-model',
    ])

    const messages = store.journeySessions.messages(items[0]!.id)
    const answer = TOKENS.input + TOKENS.output
    expect(messages).toMatchObject([
      { role: 'user', text: 'Add 2 and 3', toolCalls: [], usage: { totalTokens: answer } },
      {
        role: 'assistant',
        text: 'It says: The sum of 2 and 3 is 5.',
        toolCalls: [{ serverName: 'everything', toolName: 'get-sum', arguments: { a: 2, b: 3 }, isError: false }],
        usage: { inputTokens: 2 * TOKENS.input, outputTokens: 2 * TOKENS.output, totalTokens: 2 * answer },
      },
    ])
    for (const { durationMs } of messages) expect(durationMs).toBeGreaterThan(0)

    const spoken = model.asked.filter(({ system }) => !system.startsWith('You '))
    expect(spoken).toHaveLength(8)
    expect(spoken.filter(({ system }) => system === 'Be brief.')).toHaveLength(4)
    for (const { system, model: name, temperature } of spoken)
      expect([name, temperature]).toEqual(system === 'Be brief.' ? ['first-model', 0.25] : ['second-model', undefined])
    const played = model.asked.filter(({ system }) => system.startsWith('You '))
    // Each session has two turns of the persona and one grading.
    expect(played.map(({ model: name }) => name)).toEqual(Array.from({ length: 12 }, () => 'player'))

    expect(await api.call(journeyRuns.scorecard, { projectId, runId: run.id })).toEqual({
      runId: run.id,
      sessionsTotal: 4,
      sessionsGraded: 4,
      criteria: RUBRIC.map(({ id, label, kind: criterionKind }) => ({
        id,
        label,
        kind: criterionKind,
        passCount: id === 'grounded' ? 0 : 4,
        failCount: id === 'grounded' ? 4 : 0,
        pendingCount: 0,
        failedGradingCount: 0,
      })),
    })
    const list = await api.call(journeyRuns.list, { projectId, journeyId })
    expect(list.items).toMatchObject([{ id: run.id, status: 'completed', sessionsGraded: 4 }])
    expect(list.items[0]?.attempts).toBeUndefined()
  })
})

test('a journey run keeps the settings of its launch', async () => {
  const { api } = await stage()
  const { projectId, journeyId, environmentIds } = await plainJourney(api)
  const run = await runJourney(api, { projectId, journeyId })
  const personaId = run.persona!.personaId!
  await api.call(personas.update, { projectId, personaId, body: { name: 'Grace' } })
  await api.call(journeys.archive, { projectId, journeyId })
  expect(await api.call(journeyRuns.get, { projectId, runId: run.id })).toMatchObject({
    persona: { personaId, name: 'Ada' },
    targetId: environmentIds[0],
  })
  expect((await api.call(journeyRuns.list, { projectId, journeyId })).items).toHaveLength(1)
  expect(await api.refused(journeyRuns.launch, { projectId, journeyId })).toMatchObject({ code: 'CONFLICT' })
})

test('the persona speaks until its turns are used up, and reads every answer', async () => {
  const scenes: number[][] = []
  const { api, model } = await stage({
    persona: ({ conversation, turnsLeft }) => {
      scenes.push([conversation.length, turnsLeft])
      return json({ done: false, message: `Part ${conversation.length}` })
    },
    assistant: ({ prompts }) => ({ text: `On ${prompts.length}` }),
  })
  const { projectId, journeyId } = await plainJourney(api, { maxTurns: 3 })
  const run = await runJourney(api, { projectId, journeyId })
  expect(run).toMatchObject({ status: 'completed', sessionsGraded: 1 })
  expect(scenes).toEqual([
    [0, 3],
    [2, 2],
    [4, 1],
  ])
  const { items } = await api.call(journeyRuns.sessions, { projectId, runId: run.id })
  expect(items[0]).toMatchObject({ messageCount: 6, preview: 'Part 0' })
  expect(model.asked.at(-1)?.prompts[0]).toContain('On 3')
})

test('tokens used by a failed turn and an unusable grade are counted too', async () => {
  const sessionOf = async (assistant: (asked: Asked) => Answer) => {
    const { api } = await stage({ assistant, grader: () => ({ text: 'no grade' }) })
    const { projectId, journeyId } = await plainJourney(api, { maxTurns: 1 })
    await runJourney(api, { projectId, journeyId })
    return (await api.call(sessions.list, { projectId, sourceType: 'swarm' })).items[0]
  }
  // First the persona and the answer with the call; then the persona, the answer and its grading.
  expect(await sessionOf(({ results }) => (results.length > 0 ? { status: 400 } : { calls: [sum] }))).toMatchObject({
    messageCount: 1,
    cumulativeInputTokens: 2 * TOKENS.input,
    cumulativeOutputTokens: 2 * TOKENS.output,
  })
  expect(await sessionOf(() => ({ text: 'Five.' }))).toMatchObject({
    messageCount: 2,
    cumulativeInputTokens: 3 * TOKENS.input,
    cumulativeOutputTokens: 3 * TOKENS.output,
  })
})

test.each([
  ['withheld', { raw: JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'content_filter' }] }) }],
  ['ran out of tokens', { text: 'The sum is', isCut: true }],
])('a session whose assistant was cut off fails, and is not graded: %s', async (why, answer) => {
  const { api } = await stage({ assistant: () => answer })
  const { projectId, journeyId } = await plainJourney(api, { maxTurns: 1 })
  const run = await runJourney(api, { projectId, journeyId })
  expect(run).toMatchObject({ summary: { succeeded: 0, failed: 1 }, sessionsGraded: 0 })
  expect(run.attempts).toMatchObject([{ status: 'failed', errorMessage: expect.stringContaining(why) }])
})

test('a broken grader is counted as such and fails no session', async () => {
  let graders = 0
  const { api, store } = await stage({
    grader: () => {
      graders += 1
      return graders === 1 ? json({ verdict: 'fine' }) : graded(0.2)
    },
  })
  const { projectId, journeyId } = await plainJourney(api, { sessionsPerTarget: 3 })
  const run = await runJourney(api, { projectId, journeyId })
  expect(run).toMatchObject({
    status: 'completed',
    summary: { succeeded: 3 },
    sessionsGraded: 2,
    failedGradingCount: 1,
    failCount: 2,
  })
  const { criteria, sessionsTotal, sessionsGraded } = await api.call(journeyRuns.scorecard, {
    projectId,
    runId: run.id,
  })
  expect({ sessionsTotal, sessionsGraded }).toEqual({ sessionsTotal: 3, sessionsGraded: 2 })
  for (const { passCount, failCount, pendingCount, failedGradingCount } of criteria!)
    expect([passCount, failCount, pendingCount, failedGradingCount]).toEqual([2, 0, 0, 1])
  const { items } = await api.call(journeyRuns.sessions, { projectId, runId: run.id })
  const broken = items.filter(({ goalScore }) => goalScore === null)
  expect(broken).toMatchObject([{ outcome: 'succeeded', readiness: { grading: 'failed' } }])
  expect(store.findings.list({ projectId, scope: 'swarm' })).toMatchObject([{ dimension: 'goal' }])
})

test('the gate refuses launches and single reads, and empties lists', async () => {
  const { api, store } = await stage()
  const { projectId, journeyId } = await plainJourney(api)
  const { id: runId } = await runJourney(api, { projectId, journeyId })
  set(store, projectId, 'gate.swarms', 'off')
  expect(await api.refused(journeyRuns.launch, { projectId, journeyId })).toMatchObject({ status: 403 })
  expect(await api.refused(journeyRuns.get, { projectId, runId })).toMatchObject({ status: 403 })
  expect(await api.call(journeyRuns.list, { projectId, journeyId })).toEqual({ items: [] })
  expect(await api.call(journeyRuns.sessions, { projectId, runId })).toEqual({ items: [] })
})

test('failures of a wave become findings, which a wave that checked and saw no failure resolves', async () => {
  let isWell = false
  const { api, store } = await stage({
    assistant: ({ results }) => {
      if (results.length > 0) return { text: results.join() }
      return { calls: [isWell ? sum : { ...sum, args: { a: 'two' } }] }
    },
    grader: () => (isWell ? graded(1) : graded(0, ['grounded'])),
  })
  const { projectId, journeyId } = await plainJourney(api, { sessionsPerTarget: 2 })
  const findings = () =>
    store.findings.list({ projectId, scope: 'swarm' }).map(row => [row.dimension, row.subjectId, row.status])
  const { serverId } = await sandbox(api)
  const subjects = [
    ['goal', journeyId],
    ['rubric', `${journeyId}/no-tool-errors`],
    ['rubric', `${journeyId}/grounded`],
    ['tool-errors', `${journeyId}/${serverId}/get-sum`],
  ]
  const all = (status: string) => subjects.map(subject => [...subject, status]).toSorted()
  const first = await runJourney(api, { projectId, journeyId }, { waveId: 'first' })
  expect(findings().toSorted()).toEqual(all('new'))
  const tool = store.findings.list({ projectId, scope: 'swarm' }).find(row => row.subjectKind === 'tool')!
  const { items } = await api.call(journeyRuns.sessions, { projectId, runId: first.id })
  const evidence = store.findings.evidence(tool.id, 'first')
  expect(new Set(evidence.map(({ sessionId }) => sessionId))).toEqual(new Set(items.map(({ id }) => id)))
  expect(evidence[0]).toMatchObject({ kind: 'tool_error', toolName: 'get-sum' })
  await runJourney(api, { projectId, journeyId }, { waveId: 'second' })
  expect(findings().toSorted()).toEqual(all('recurring'))
  isWell = true
  await runJourney(api, { projectId, journeyId }, { waveId: 'third' })
  expect(findings().toSorted()).toEqual(all('resolved'))
  isWell = false
  await runJourney(api, { projectId, journeyId }, { waveId: 'fourth' })
  expect(findings().toSorted()).toEqual(all('regressed'))
})

test('lists of journey runs have pages, and a cursor belongs to its journey', async () => {
  const { api, store } = await stage()
  const { projectId, journeyId } = await plainJourney(api)
  const { id } = await runJourney(api, { projectId, journeyId })
  const { position: _position, ...row } = store.journeyRuns.get(projectId, id)!
  store.write(() => {
    for (let number = 1; number <= 60; number += 1) store.journeyRuns.insert({ ...row, id: `jrn_${number}` }, [])
  })
  const first = await api.call(journeyRuns.list, { projectId, journeyId })
  expect(first.items).toHaveLength(50)
  expect(first.items[0]?.id).toBe('jrn_60')
  const second = await api.call(journeyRuns.list, { projectId, journeyId, cursor: first.nextCursor })
  expect(second.items.map(item => item.id)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `jrn_${10 - index}`),
    id,
  ])
  expect(second.nextCursor).toBeUndefined()
  const foreign = await journey(api, { name: 'Other' })
  expect(await api.refused(journeyRuns.list, { ...foreign, cursor: first.nextCursor })).toMatchObject({
    status: 400,
    details: { field: 'cursor' },
  })
})

test('sessions of journey runs are in the feed of the project, and their spans in its export', async () => {
  const { api } = await stage({
    assistant: ({ results }) => (results.length > 0 ? { text: 'Five.' } : { calls: [sum] }),
  })
  const { projectId, journeyId } = await plainJourney(api, { sessionsPerTarget: 2 })
  const { id: runId, insights } = await runJourney(api, { projectId, journeyId }, { waveId: 'mine' })
  expect(insights).toMatchObject({ status: 'not_requested', scope: { kind: 'swarm_wave', id: 'mine', runId } })
  const own = await api.call(journeyRuns.sessions, { projectId, runId })
  const feed = await api.call(sessions.list, { projectId, sourceType: 'swarm', limit: 1 })
  const rest = await api.call(sessions.list, { projectId, sourceType: 'swarm', limit: 1, cursor: feed.nextCursor })
  const listed = [...feed.items, ...rest.items]
  expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(own.items.map(({ id }) => id)))
  expect(listed[0]).toMatchObject({
    sourceType: 'swarm',
    title: 'Sums: Ada',
    firstMessagePreview: 'Add 2 and 3',
    messageCount: 2,
    cumulativeUserMessageCount: 1,
    cumulativeToolCallCount: 1,
    // There are two turns of the persona, two answers of the assistant and the grading.
    cumulativeInputTokens: 5 * TOKENS.input,
    parentRef: { kind: 'journeyRun', label: 'Sums', journeyRunId: runId, journeyRefId: journeyId },
  })
  const found = await api.call(sessions.list, { projectId, q: 'five', scope: 'transcripts' })
  expect(found.items).toHaveLength(2)
  const exported = await api.call(traceExports.otlp, { projectId, sourceTypes: 'swarm', includeContent: true })
  const { resourceSpans } = exported as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
  const spans = resourceSpans[0]!.scopeSpans[0]!.spans
  expect(spans.map(({ name }) => name).toSorted()).toEqual(
    ['answer', 'answer', 'get-sum', 'get-sum', 'swarm Sums: Ada', 'swarm Sums: Ada'].toSorted(),
  )
  for (const call of spans.filter(({ name }) => name === 'get-sum')) {
    const parent = spans.find(({ spanId }) => spanId === call.parentSpanId)
    expect(parent?.name).toBe('answer')
    expect(BigInt(call.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent!.startTimeUnixNano))
    expect(JSON.stringify(call)).toContain('is 5')
  }
})
