import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { echoCase, open, sandbox, until, untilEnded } from './harness.ts'
import { assert, KEY, prompt } from './model-runs.ts'
import { scriptedModel } from './scripted-model.ts'

const { runs, suites, cases } = contract

const LISTED = ['small', 'acme/large', 'acme/tiny', 'llama3:latest', 'talker-2026-01-01']
const asking = { title: 'asks', steps: [prompt('Hello'), assert({ type: 'noToolErrors' })], runs: 1 }

async function openSuite(listed: readonly string[] | undefined, tests: object[] = [asking]) {
  const { settings } = await scriptedModel(() => ({ text: 'Hello.' }), 'openai-compatible', listed)
  const clock = { time: Date.now() }
  const { api } = await open({ models: settings, now: () => clock.time, schedulePollMs: 5 })
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'Asks', model: 'small', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const launch = async (fields: object) => {
    const { runId } = await api.call(runs.create, { projectId, body: { suiteId, ...fields } })
    return await untilEnded(api, projectId, runId)
  }
  return { api, projectId, suiteId, launch, clock }
}

test('a model that the endpoint does not list is refused before a run is written, with the listed models', async () => {
  const { api, projectId, suiteId } = await openSuite(LISTED)
  for (const [model, hostedModels] of [
    ['unheard-of', LISTED],
    ['acme/huge', ['acme/large', 'acme/tiny']],
  ] as const)
    expect(await api.refused(runs.create, { projectId, body: { suiteId, model } })).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`"${model}" of the case "asks" cannot be executed`),
      details: { field: 'model', hostedModels },
    })
  const [only] = (await api.call(cases.list, { projectId, suiteId })).items
  const body = { models: [{ model: 'small' }, { model: 'unheard-of' }] }
  await api.call(cases.update, { projectId, suiteId, caseId: only!.id, body })
  expect(await api.refused(runs.create, { projectId, body: { suiteId } })).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { hostedModels: LISTED },
  })
  expect((await api.call(runs.list, { projectId, suiteId })).items).toEqual([])
})

test.each(['small', 'acme/large', 'llama3', 'talker', 'talker-latest', 'large'])(
  'the model %s is accepted by the endpoint',
  async model => {
    const { launch } = await openSuite(LISTED)
    expect(await launch({ model })).toMatchObject({ result: 'passed' })
  },
)

test('an unknown model affects only cases that ask a model', async () => {
  const { launch } = await openSuite(LISTED, [{ ...echoCase('calls', 'hi'), runs: 1 }])
  expect(await launch({ model: 'unheard-of' })).toMatchObject({ result: 'passed' })
})

test('nothing is refused if the endpoint lists no models, or if the caller’s own key reaches them', async () => {
  const { launch } = await openSuite(undefined)
  expect(await launch({ model: 'unheard-of' })).toMatchObject({ result: 'passed' })
  const own = await openSuite(LISTED)
  const withKey = { model: 'mine/own', modelApiKeys: { mine: KEY } }
  expect(await own.launch(withKey)).toMatchObject({ result: 'passed' })
})

test('a schedule does not launch a run that no model can execute, and says why', async () => {
  const { api, projectId, suiteId, clock } = await openSuite(LISTED)
  const [only] = (await api.call(cases.list, { projectId, suiteId })).items
  const body = { models: [{ model: 'unheard-of' }] }
  await api.call(cases.update, { projectId, suiteId, caseId: only!.id, body })
  await api.call(suites.schedule, { projectId, suiteId, body: { enabled: true, intervalMinutes: 5 } })
  clock.time += 5 * 60_000
  const { schedule } = await until(
    () => api.call(suites.get, { projectId, suiteId }),
    suite => suite.schedule?.['lastRefusal'] != null,
  )
  expect(JSON.stringify(schedule)).toContain('cannot be executed')
  expect((await api.call(runs.list, { projectId, suiteId })).items).toEqual([])
})
