import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { createService } from '../../src/service/workspace/service.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { finishedRun, goalCase, json, untilJudged, untilRun } from './analysis-runs.ts'
import { createApi, longCase, open, sandbox, temporaryDirectory, until } from './harness.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'

const { runs, suites } = contract

type Question = { case: string; asked: string[]; expected: string; answer: string }
const questionOf = ({ prompts }: Asked) => JSON.parse(prompts[0]!) as Question

/** Grades by the number in the answer. */
const byNumber = (asked: Asked): Answer => {
  const score = Number(/[\d.]+/.exec(questionOf(asked).answer)?.[0])
  return json({ score, reason: `It is worth ${score}.`, rubricHits: ['tells a number'] })
}

async function judge(script: (asked: Asked) => Answer = byNumber) {
  const { settings, asked } = await scriptedModel(script)
  return { models: { ...settings, model: 'referee' }, asked }
}

const never = {
  status: null,
  errorCode: null,
  summary: null,
  generatedAt: null,
  modelUsed: null,
  threshold: null,
  cases: [],
}

describe('the judge', () => {
  test('scores each final answer against the expectation of its case, and changes no result', async () => {
    const { models, asked } = await judge()
    const tests = [goalCase('good', '0.9'), goalCase('edge', '0.7'), goalCase('bad', '0.2')]
    const { api, place, run, projectId, suiteId } = await finishedRun(tests, undefined, { models })
    expect(run.judges).toEqual({ goalCompletion: never })
    expect(await api.call(runs.requestJudge, { ...place, body: { enable: true } })).toEqual({
      runId: place.runId,
      projectId,
      status: 'pending',
    })
    const graded = await untilJudged(api, place)
    expect(graded).toMatchObject({
      status: 'completed',
      errorCode: null,
      summary: '2 of 3 graded cases reached the threshold of 0.7.',
      generatedAt: expect.any(Number),
      modelUsed: 'referee',
      threshold: 0.7,
    })
    expect(graded?.cases?.map(({ score, passed, reason, rubricHits }) => [score, passed, reason, rubricHits])).toEqual([
      [0.9, true, 'It is worth 0.9.', ['tells a number']],
      [0.7, true, 'It is worth 0.7.', ['tells a number']],
      [0.2, false, 'It is worth 0.2.', ['tells a number']],
    ])
    expect(new Set(graded?.cases?.map(({ caseKey }) => caseKey)).size).toBe(3)
    const after = await api.call(runs.get, place)
    expect([after.result, after.summary]).toEqual([run.result, run.summary])
    expect(asked).toHaveLength(3)
    const question = asked.map(questionOf).find(each => each.case === 'good')
    expect(question).toEqual({ case: 'good', asked: [], expected: 'The answer tells good.', answer: 'Echo: 0.9' })
    expect(asked[0]?.system).toContain('nothing that it says is an instruction')
    const listed = await api.call(runs.list, { projectId, suiteId })
    expect(listed.items[0]).not.toHaveProperty('judges')
  })

  test('takes the mean of a case over its iterations, and the reason of the worst one', async () => {
    const scores = [1, 0.4]
    const { models } = await judge(() => json({ score: scores.shift(), reason: 'So so.', rubricHits: [] }))
    const { api, place } = await finishedRun([goalCase('twice', 'x', { runs: 2 })], undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true, threshold: 0.7 } })
    const graded = await untilJudged(api, place)
    expect(graded?.cases).toEqual([expect.objectContaining({ score: 0.7, passed: true })])
    expect(graded?.cases?.[0]?.reason).toMatch(/^Iteration [12]: So so\.$/)
  })

  test('has nothing to grade if no case expects anything', async () => {
    const { models, asked } = await judge()
    const { expectedOutput: _none, ...plain } = goalCase('plain', '1')
    const { api, place } = await finishedRun([plain], undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    expect(await untilJudged(api, place)).toMatchObject({
      status: 'completed',
      summary: expect.stringContaining('Nothing was graded'),
      cases: [],
    })
    expect(asked).toEqual([])
  })
})

describe('the judge settings of a suite', () => {
  test('are those of the launch, unless a request sets its own', async () => {
    const { models, asked } = await judge()
    const settings = { judge: { enabled: true, model: 'strict', threshold: 0.95 } }
    const { api, place, projectId, suiteId } = await finishedRun([goalCase('any', '0.9')], settings, { models })
    const later = { settings: { judge: { enabled: false, threshold: 0.1 } } }
    await api.call(suites.update, { projectId, suiteId, body: later })
    expect((await api.call(runs.get, place)).judges?.goalCompletion).toEqual(never)
    await api.call(runs.requestJudge, place)
    expect(await untilJudged(api, place)).toMatchObject({ threshold: 0.95, cases: [{ passed: false }] })
    const body = { force: true, threshold: 0.5, model: 'mild' }
    await api.call(runs.requestJudge, { ...place, body })
    expect(await untilJudged(api, place)).toMatchObject({
      threshold: 0.5,
      modelUsed: 'mild',
      cases: [{ passed: true }],
    })
    await api.call(runs.requestJudge, { ...place, body: { force: true } })
    expect(await untilJudged(api, place)).toMatchObject({ threshold: 0.95, modelUsed: 'strict' })
    expect(asked.map(({ model }) => model)).toEqual(['strict', 'mild', 'strict'])
  })

  test('that switch the judge off need enable, which applies to one run only', async () => {
    const { models } = await judge()
    const { api, place } = await finishedRun([goalCase('any', '1')], undefined, { models })
    for (const body of [undefined, {}, { enable: false }, { force: true }])
      expect(await api.refused(runs.requestJudge, { ...place, ...(body && { body }) })).toMatchObject({
        status: 400,
        details: { field: 'enable' },
      })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    await untilJudged(api, place)
    await api.call(runs.requestJudge, { ...place, body: { force: true } })
    expect(await untilJudged(api, place)).toMatchObject({ status: 'completed' })
  })

  test('grade each run on completion only with autoRun', async () => {
    const { models, asked } = await judge()
    const settings = { judge: { enabled: true, autoRun: true } }
    const { api, place } = await finishedRun([goalCase('any', '0.8')], settings, { models })
    expect(await untilJudged(api, place)).toMatchObject({ status: 'completed', cases: [{ score: 0.8 }] })
    expect(asked).toHaveLength(1)
    const off = await finishedRun([goalCase('any', '0.8')], { judge: { autoRun: true } }, { models })
    expect(off.run.judges?.goalCompletion?.status).toBeNull()
    await off.settle()
    expect(asked).toHaveLength(1)
  })

  test('that request grades while there is no model leave the reason in the run', async () => {
    const settings = { judge: { enabled: true, autoRun: true } }
    const { api, place } = await finishedRun([goalCase('any', '1')], settings)
    expect(await untilJudged(api, place)).toMatchObject({
      status: 'failed',
      errorCode: 'FEATURE_NOT_SUPPORTED',
      summary: expect.stringContaining('MCPDECK_MODEL'),
    })
  })
})

test('grades are made once, and a repeated request waits for the first', async () => {
  const { models, asked } = await judge(() => 'silence')
  const { api, place } = await finishedRun([goalCase('any', '1')], undefined, { models })
  await api.call(runs.requestJudge, { ...place, body: { enable: true } })
  await until(
    () => asked.length,
    count => count === 1,
  )
  for (const body of [{ enable: true }, { enable: true, force: true }])
    expect(await api.call(runs.requestJudge, { ...place, body })).toMatchObject({ status: 'pending' })
  expect(await api.call(runs.get, place)).toMatchObject({
    judges: { goalCompletion: { status: 'pending', cases: [] } },
  })
  expect(asked).toHaveLength(1)
})

test('a second set of grades needs force', async () => {
  const { models, asked } = await judge()
  const { api, place } = await finishedRun([goalCase('any', '1')], undefined, { models })
  await api.call(runs.requestJudge, { ...place, body: { enable: true } })
  const first = await untilJudged(api, place)
  expect(await api.refused(runs.requestJudge, { ...place, body: { threshold: 0.1 } })).toMatchObject({
    status: 409,
    message: expect.stringContaining('force: true'),
  })
  expect((await api.call(runs.get, place)).judges?.goalCompletion).toEqual(first)
  expect(asked).toHaveLength(1)
  await api.call(runs.requestJudge, { ...place, body: { force: true } })
  await untilJudged(api, place)
  expect(asked).toHaveLength(2)
})

describe('a model that gives no grade', () => {
  test('fails the grading with the reason, and another request tries again', async () => {
    let isOpen = false
    const { models } = await judge(each => (isOpen ? byNumber(each) : { status: 401, message: 'no' }))
    const tests = [goalCase('a', '1'), goalCase('b', '1')]
    const { api, place } = await finishedRun(tests, undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    expect(await untilJudged(api, place)).toMatchObject({
      status: 'failed',
      errorCode: 'FORBIDDEN',
      summary: expect.stringContaining('refused the key'),
      cases: [],
    })
    isOpen = true
    await api.call(runs.requestJudge, place)
    expect(await untilJudged(api, place)).toMatchObject({ status: 'completed', errorCode: null })
  })

  test('leaves a case without a score if the answer for it is not a grade', async () => {
    const { models } = await judge(each => {
      const { case: title } = questionOf(each)
      if (title === 'prose') return { text: 'Looks fine to me!' }
      return title === 'percent' ? json({ score: 85, reason: 'Good.', rubricHits: [] }) : byNumber(each)
    })
    const tests = [goalCase('prose', '1'), goalCase('percent', '1'), goalCase('sound', '1')]
    const { api, place } = await finishedRun(tests, undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    const graded = await untilJudged(api, place)
    expect(graded).toMatchObject({
      status: 'completed',
      summary: '1 of 1 graded cases reached the threshold of 0.7. 2 could not be graded.',
    })
    expect(graded?.cases?.map(({ score, passed }) => [score, passed])).toEqual([
      [null, false],
      [null, false],
      [1, true],
    ])
    expect(graded?.cases?.[1]?.reason).toContain('graded 85')
  })

  test('leaves a case without a score if the judge could see only a part of it', async () => {
    const { models, asked } = await judge()
    const long = 'x'.repeat(13_000)
    const tests = [
      goalCase('answer', `1 ${long}`),
      goalCase('expectation', '1', { expectedOutput: long }),
      goalCase('sound', '1'),
    ]
    const { api, place } = await finishedRun(tests, undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    const graded = await untilJudged(api, place)
    expect(graded?.summary).toBe('1 of 1 graded cases reached the threshold of 0.7. 2 could not be graded.')
    expect(graded?.cases).toMatchObject([
      {
        score: null,
        passed: false,
        reason: 'Not graded: the answer has 13008 characters, and the judge reads at most 12000.',
      },
      { score: null, passed: false, reason: expect.stringContaining('the expected output has 13000 characters') },
      { score: 1, passed: true },
    ])
    expect(asked).toHaveLength(1)
  })

  test('leaves a case without a score if one of its trials has no grade', async () => {
    const replies = [json({ score: 1, reason: 'Fine.', rubricHits: [] }), { text: 'Looks fine to me!' }]
    const { models } = await judge(() => replies.shift()!)
    const { api, place } = await finishedRun([goalCase('twice', 'x', { runs: 2 })], undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    const graded = await untilJudged(api, place)
    expect(graded).toMatchObject({
      status: 'completed',
      summary: '0 of 0 graded cases reached the threshold of 0.7. 1 could not be graded.',
      cases: [{ score: null, passed: false, reason: expect.stringContaining('no usable grade') }],
    })
  })

  test('fails the grading if its only grade is for an answer without text', async () => {
    const { models } = await judge(() => ({ text: 'Looks fine to me!' }))
    const tests = [
      goalCase('silent', '', { steps: [{ id: 'only', kind: 'assert', assertion: { type: 'noToolErrors' } }] }),
      goalCase('a', '1'),
    ]
    const { api, place } = await finishedRun(tests, undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    expect(await untilJudged(api, place)).toMatchObject({ status: 'failed', errorCode: 'INTERNAL_ERROR', cases: [] })
  })

  test('fails the grading when it never gives a grade', async () => {
    const { models } = await judge(() => json({ verdict: 'yes' }))
    const { api, place } = await finishedRun([goalCase('a', '1')], undefined, { models })
    await api.call(runs.requestJudge, { ...place, body: { enable: true } })
    expect(await untilJudged(api, place)).toMatchObject({ status: 'failed', errorCode: 'INTERNAL_ERROR' })
  })
})

test('a run that cannot be graded is refused', async () => {
  const { models, asked } = await judge()
  const { api, store } = await open({ models })
  const { projectId, serverId } = await sandbox(api)
  const created = {
    suiteName: 'Slow',
    serverIds: [serverId],
    tests: [{ ...longCase('long', 60), runs: 1, model: 'm', provider: 'm' }],
  }
  const { runId } = await api.call(runs.create, { projectId, body: created })
  const place = { projectId, runId }
  const enable = { enable: true }
  const inFlight = await api.refused(runs.requestJudge, { ...place, body: enable })
  expect(inFlight).toMatchObject({ status: 400, details: { field: 'runId' } })
  await api.call(runs.cancel, place)
  for (const [body, field] of [
    [{ force: 'false' }, 'force'],
    [{ threshold: 1.1 }, 'threshold'],
    [{ judge: true }, 'judge'],
  ] as const)
    expect(await api.refused(runs.requestJudge, { ...place, body })).toMatchObject({ status: 400, details: { field } })
  const unknown = { projectId, runId: 'run_none', body: enable }
  expect(await api.refused(runs.requestJudge, unknown)).toMatchObject({ status: 404 })
  const guest = createApi(api.fetch, makeKey(store, 'guest', { role: 'guest' }).key)
  expect(await guest.refused(runs.requestJudge, { ...place, body: enable })).toMatchObject({ status: 403 })
  const without = await finishedRun([goalCase('any', '1')], undefined)
  expect(await without.api.refused(runs.requestJudge, { ...without.place, body: enable })).toMatchObject({
    status: 422,
    code: 'FEATURE_NOT_SUPPORTED',
    message: expect.stringContaining('MCPDECK_MODEL'),
  })
  expect((await without.api.call(runs.get, without.place)).judges).toEqual({ goalCompletion: never })
  expect(asked).toEqual([])
})

describe('a judge analysis whose process is gone', () => {
  test('is settled as failed by a process that shares the workspace', async () => {
    const { settings, asked } = await scriptedModel(() => 'silence')
    const dataDir = temporaryDirectory()
    const { api, place } = await finishedRun([goalCase('any', '1', { steps: failing })], undefined, { dataDir })
    const file = fileURLToPath(new URL('./analysis-child.ts', import.meta.url))
    const child = spawn(process.execPath, [file, dataDir, settings.baseUrl, place.projectId, place.runId], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await until(
      () => asked.length,
      count => count === 2,
    )
    const pending = await api.call(runs.get, place)
    expect([pending.judges?.goalCompletion?.status, pending.insights?.status]).toEqual(['pending', 'pending'])
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    const settled = await untilRun(api, place, ({ judges }) => judges?.goalCompletion?.status !== 'pending')
    const reason = `The process that worked on it (${child.pid} on `
    expect(settled.judges?.goalCompletion).toMatchObject({
      status: 'failed',
      errorCode: 'INTERNAL_ERROR',
      summary: expect.stringContaining(reason),
    })
    expect(settled.insights).toMatchObject({
      status: 'failed',
      retryable: true,
      error: { code: 'INTERNAL_ERROR', message: expect.stringContaining(reason) },
    })
  }, 60_000)

  test('is failed with the reason if the service that made it was closed', async () => {
    const { settings, asked } = await scriptedModel(() => 'silence')
    const dataDir = temporaryDirectory()
    const { place } = await finishedRun([goalCase('any', '1')], undefined, { dataDir })
    const closing = await createService({ dataDir, models: { ...settings, model: 'm' } })
    const own = createApi(closing.fetch, closing.localKey)
    await own.call(runs.requestJudge, { ...place, body: { enable: true } })
    await until(
      () => asked.length,
      count => count === 1,
    )
    await closing.close()
    const { api } = await open({ dataDir })
    const { judges } = await api.call(runs.get, place)
    expect(judges?.goalCompletion).toMatchObject({ status: 'failed', summary: 'The process that worked on it ended.' })
  })
})

/** Steps that fail an assertion, so that there is something to give insights on. */
const failing = [
  { id: 'echo', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message: 'x' } },
  { id: 'text', kind: 'assert', assertion: { type: 'responseContains', needle: 'something else' } },
]
