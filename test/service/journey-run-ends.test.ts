import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { JourneyRun } from '../../src/api/contract/journey-runs.ts'
import { open, sandbox, temporaryDirectory, until } from './harness.ts'
import { cast, environment, journey, json, plainJourney, runJourney, set, stage } from './journey-cast.ts'
import { KEY, soon } from './model-runs.ts'
import { scriptedModel, type Asked } from './scripted-model.ts'

const { journeyRuns } = contract
const done = { text: 'Done.' }

describe('cancelling a journey run', () => {
  test('ends all sessions and closes their connections, and may be repeated, with or without the gate', async () => {
    const { api, store, model, settle } = await stage({
      persona: ({ person, conversation }) => json({ done: conversation.length > 0, message: `I am ${person.name}` }),
      assistant: ({ model: name }) => (name === 'one-model' ? { text: 'Done.' } : 'silence'),
    })
    const { projectId, journeyId } = await plainJourney(api, { sessionsPerTarget: 3 }, ['one', 'two'])
    const { id: runId } = await api.call(journeyRuns.launch, { projectId, journeyId })
    await until(
      () => api.call(journeyRuns.get, { projectId, runId }),
      ({ summary, attempts }) =>
        summary?.succeeded === 3 && attempts?.filter(({ status }) => status === 'running').length === 3,
    )
    await until(
      () => model.waiting,
      waiting => waiting === 3,
    )
    set(store, projectId, 'gate.swarms', 'off')
    const canceled = await api.call(journeyRuns.cancel, { projectId, runId })
    expect(canceled).toEqual({ id: runId, status: 'failed', canceled: true, alreadyCanceled: false, finalized: 3 })
    await settle()
    await until(
      () => model.waiting,
      waiting => waiting === 0,
    )
    const again = await api.call(journeyRuns.cancel, { projectId, runId })
    expect(again).toEqual({ ...canceled, alreadyCanceled: true, finalized: 0 })
    set(store, projectId, 'gate.swarms', 'on')
    const run = await api.call(journeyRuns.get, { projectId, runId })
    expect(run).toMatchObject({
      status: 'failed',
      canceled: true,
      stale: false,
      summary: { total: 6, succeeded: 3, failed: 3, rateLimited: 0 },
    })
    const ended = run.attempts!.filter(({ status }) => status === 'failed')
    expect(ended.map(({ errorCode }) => errorCode)).toEqual(['CANCELED', 'CANCELED', 'CANCELED'])
    expect(store.findings.list({ projectId, scope: 'swarm' })).toEqual([])
  })

  test('that has ended is a conflict', async () => {
    const { api } = await stage()
    const place = await plainJourney(api)
    const run = await runJourney(api, { projectId: place.projectId, journeyId: place.journeyId })
    const refusal = await api.refused(journeyRuns.cancel, { projectId: place.projectId, runId: run.id })
    expect(refusal).toMatchObject({ status: 409, details: { status: 'completed' } })
  })
})

describe('a journey run in another process', () => {
  const halfSilent = { assistant: ({ model: name }: Asked) => (name === 'one-model' ? done : 'silence') } as const

  /** Launches on two targets in a child process; resolves once the run has reached the given point. */
  async function launchElsewhere(roles: Parameters<typeof cast>[0], isThere: (run: JourneyRun) => boolean) {
    const model = await scriptedModel(cast(roles))
    const dataDir = temporaryDirectory()
    const { api } = await open({ dataDir })
    const { projectId, journeyId } = await plainJourney(api, {}, ['one', 'two'])
    const path = `/projects/${projectId}/journeys/${journeyId}/runs`
    const program = fileURLToPath(new URL('./journey-child.ts', import.meta.url))
    const child = spawn(process.execPath, [program, dataDir, model.settings.baseUrl, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async <T>() => JSON.parse(String((await lines.next()).value)) as T
    const { id: runId } = await next<{ id: string }>()
    const running = await until(() => api.call(journeyRuns.get, { projectId, runId }), isThere)
    expect(running).toMatchObject({ status: 'running', stale: false })
    return { api, child, next, projectId, runId, dataDir }
  }

  const isHalfGraded = ({ sessionsGraded, attempts }: JourneyRun) =>
    sessionsGraded === 1 && attempts?.[1]?.status === 'running'

  async function kill(child: ChildProcess) {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  const settled = {
    status: 'partial',
    stale: true,
    canceled: false,
    summary: { total: 2, succeeded: 1, failed: 1 },
    attempts: [{ status: 'succeeded' }, { status: 'failed', errorCode: 'STALE' }],
    sessionsGraded: 1,
  }

  test('that is killed is settled as stale at the next read', async () => {
    const { api, child, projectId, runId } = await launchElsewhere(halfSilent, isHalfGraded)
    await kill(child)
    const run = await api.call(journeyRuns.get, { projectId, runId })
    expect(run).toMatchObject(settled)
    expect(run.error).toContain(String(child.pid))
    expect(await api.refused(journeyRuns.cancel, { projectId, runId })).toMatchObject({ status: 409 })
  })

  test('that is killed while it grades is complete, and its grading stays pending', async () => {
    const isPlayed = ({ summary }: JourneyRun) => summary?.succeeded === 2
    const roles = { assistant: () => done, grader: () => 'silence' as const }
    const { api, child, projectId, runId } = await launchElsewhere(roles, isPlayed)
    await kill(child)
    expect(await api.call(journeyRuns.get, { projectId, runId })).toMatchObject({
      status: 'completed',
      stale: true,
      sessionsGraded: 0,
      failedGradingCount: 0,
    })
    const { criteria } = await api.call(journeyRuns.scorecard, { projectId, runId })
    for (const { passCount, failCount, pendingCount } of criteria!)
      expect([passCount, failCount, pendingCount]).toEqual([0, 0, 2])
  })

  test('that is killed is settled when the workspace is opened again', async () => {
    const { child, projectId, runId, dataDir } = await launchElsewhere(halfSilent, isHalfGraded)
    await kill(child)
    const { store } = await open({ dataDir })
    expect(store.journeyRuns.get(projectId, runId)).toMatchObject({ status: 'partial', marker: 'stale' })
  })

  test('is cancelled from this process, and stops there', async () => {
    const { api, child, next, projectId, runId } = await launchElsewhere(halfSilent, isHalfGraded)
    expect(await api.call(journeyRuns.cancel, { projectId, runId })).toMatchObject({ finalized: 1 })
    expect(await next()).toEqual({ settled: true })
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect(await api.call(journeyRuns.get, { projectId, runId })).toMatchObject({
      status: 'failed',
      canceled: true,
      stale: false,
    })
  })
})

test('a journey run of a deleted project writes nothing more', async () => {
  const { api, model, settle, store } = await stage({
    persona: ({ turnsLeft }) => json({ done: false, message: `${turnsLeft} left` }),
    assistant: () => 'silence',
  })
  const { projectId, journeyId } = await plainJourney(api)
  const { id: runId } = await api.call(journeyRuns.launch, { projectId, journeyId })
  await until(
    () => model.waiting,
    waiting => waiting === 1,
  )
  await api.call(contract.projects.delete, { projectId })
  await settle()
  expect(store.journeyRuns.find(runId)).toBeUndefined()
  expect(model.asked.map(({ prompts }) => prompts.length)).toEqual([1, 1])
})

test('closing the workspace ends sessions in progress, and their run says why', async () => {
  const model = await scriptedModel(cast({ assistant: () => 'silence' }))
  const dataDir = temporaryDirectory()
  const service = await open({ dataDir, models: { ...model.settings, model: 'player' } })
  const { projectId, journeyId } = await plainJourney(service.api)
  const { id: runId } = await service.api.call(journeyRuns.launch, { projectId, journeyId })
  await until(
    () => service.api.call(journeyRuns.sessions, { projectId, runId }),
    ({ items }) => items[0]?.messageCount === 1,
  )
  await service.close()
  const { api } = await open({ dataDir })
  const run = await api.call(journeyRuns.get, { projectId, runId })
  expect(run).toMatchObject({ status: 'failed', stale: true, error: 'The process that worked on it ended.' })
})

describe('sessions that do not finish', () => {
  test('because of a rate limited model make the run rate limited', async () => {
    const { api } = await stage({ assistant: () => ({ status: 429, message: 'slow down', headers: soon }) })
    const place = await plainJourney(api, { sessionsPerTarget: 2 })
    const { projectId, journeyId } = place
    const run = await runJourney(api, { projectId, journeyId })
    expect(run).toMatchObject({
      status: 'rate_limited',
      summary: { total: 2, succeeded: 0, failed: 0, rateLimited: 2 },
      sessionsGraded: 0,
    })
    for (const attempt of run.attempts!) {
      expect(attempt).toMatchObject({ status: 'rate_limited', errorCode: 'RATE_LIMITED' })
      expect(attempt.errorMessage).toContain('limits the rate of requests')
    }
    const { items } = await api.call(journeyRuns.sessions, { projectId, runId: run.id })
    expect(items).toMatchObject([
      { outcome: 'rate_limited', messageCount: 1, readiness: { grading: 'not_graded' }, goalScore: null },
      { outcome: 'rate_limited' },
    ])
  })

  test('on one of two targets make the run partial, and its error does not contain the key', async () => {
    const { api } = await stage({
      assistant: ({ model: name, key }) =>
        name === 'one-model' ? { text: 'Five.' } : { status: 401, message: `Incorrect key ${key}` },
    })
    const { projectId, journeyId } = await plainJourney(api, {}, ['one', 'two'])
    const run = await runJourney(api, { projectId, journeyId })
    expect(run).toMatchObject({
      status: 'partial',
      summary: { total: 2, succeeded: 1, failed: 1 },
      targetSummaries: [{ succeeded: 1 }, { failed: 1 }],
    })
    expect(run.attempts![1]).toMatchObject({ status: 'failed', errorCode: 'FORBIDDEN' })
    expect(JSON.stringify(run)).not.toContain(KEY)
  })

  test.each([
    ['answers another shape', json({ thoughts: 'hm' })],
    ['neither speaks nor ends', json({ done: false, message: ' ' })],
  ])('fail if the persona’s model %s', async (_what, answer) => {
    const { api } = await stage({ persona: () => answer })
    const { projectId, journeyId } = await plainJourney(api)
    const run = await runJourney(api, { projectId, journeyId })
    expect(run).toMatchObject({ status: 'failed', canceled: false, stale: false })
    expect(run.attempts).toMatchObject([{ status: 'failed', errorCode: 'INTERNAL_ERROR' }])
  })

  test('fail if the server cannot be reached', async () => {
    const { api } = await stage()
    const { projectId } = await sandbox(api)
    const record = { name: 'gone', enabled: true, transportType: 'http', url: 'http://127.0.0.1:1/mcp' }
    const server = await api.call(contract.servers.create, { projectId, body: record })
    const target = await environment(api, 'far', { serverIds: [server.id] })
    const run = await runJourney(api, await journey(api, { environmentIds: [target.id] }))
    expect(run.attempts).toMatchObject([{ status: 'failed', errorCode: 'SERVER_UNREACHABLE' }])
  })
})
