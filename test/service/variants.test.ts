import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { causeOf } from '../../src/domain/runs/causes.ts'
import { judgeGates } from '../../src/domain/runs/gates.ts'
import { small } from '../servers/targets.ts'
import { open, sandbox, untilEnded, type Api } from './harness.ts'
import { prompt } from './model-runs.ts'
import { scriptedModel, type Answer } from './scripted-model.ts'

const { runs, iterations, suites, cases } = contract

/** A suite of one case on these models; their endpoint refuses models named `unknown`. */
async function openSuite(models: { model: string; provider: string }[], answer: () => Answer) {
  const endpoint = await scriptedModel(({ model }) =>
    model === 'unknown' ? { status: 404, message: 'no such model' } : answer(),
  )
  const { api } = await open({ models: endpoint.settings })
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ title: 'Talks', steps: [prompt('Hello')], runs: 1 }]
  const { suiteId } = await api.call(suites.create, {
    projectId,
    body: { name: 'Two models', model: 'small', serverIds: [serverId], tests },
  })
  await setModels(api, projectId, suiteId, models)
  return { api, projectId, suiteId }
}

async function setModels(api: Api, projectId: string, suiteId: string, models: object[]) {
  const [only] = (await api.call(cases.list, { projectId, suiteId })).items
  await api.call(cases.update, { projectId, suiteId, caseId: only!.id, body: { models } })
}

async function runOf(api: Api, projectId: string, body: object) {
  const { runId } = await api.call(runs.create, { projectId, body })
  const run = await untilEnded(api, projectId, runId)
  const { items } = await api.call(iterations.list, { projectId, runId })
  return { run, items, runId }
}

const two = [
  { model: 'small', provider: 'scripted' },
  { model: 'unknown', provider: 'scripted' },
]

test('a case on two models is two variants: one that could not be set up leaves the run undecided', async () => {
  const { api, projectId, suiteId } = await openSuite(two, () => ({ text: 'Hello.' }))
  const { run, items, runId } = await runOf(api, projectId, { suiteId })
  expect(items.map(({ trialClass }) => trialClass)).toEqual(['passed', 'setup_failed'])
  expect(run).toMatchObject({
    status: 'completed',
    result: null,
    // A case without any assertion has no score.
    scoreIntegrity: null,
    summary: { total: 2, passed: 1, failed: 0, passRate: 1 },
    decisionSummary: {
      measurementUnit: 'case_executions',
      decision: null,
      verdict: 'notEstablished',
      undecided: { reason: 'undecidable' },
      counts: { total: 2, passed: 1, failed: 0, undecided: 1 },
    },
  })
  expect(await api.call(runs.rerunPreview, { projectId, runId })).toMatchObject({
    totalCaseCount: 1,
    selectedCaseCount: 1,
    reasons: { setup_failed: 1 },
    excluded: { passed: 1 },
  })
})

test('a failing and a passing variant count separately, and each is compared with its own earlier result', async () => {
  const models = [two[0]!, { model: 'small', provider: 'other' }]
  const { api, projectId, suiteId } = await openSuite(models, () => ({ text: 'Hello.' }))
  const { runId: base } = await runOf(api, projectId, { suiteId })
  const { run, runId } = await runOf(api, projectId, { suiteId })
  expect(run.summary).toMatchObject({ total: 2, passed: 2 })
  const compared = await api.call(runs.compare, { projectId, runId, baseRunId: base })
  expect(compared.cases.map(({ status }) => status)).toEqual(['unchanged_passed', 'unchanged_passed'])
  expect(new Set(compared.cases.map(({ caseKey }) => caseKey)).size).toBe(2)
  for (const { base: before, compare: after } of compared.cases)
    expect([before.iterationIds?.length, after.iterationIds?.length]).toEqual([1, 1])
})

test('a case that gets a second model keeps its first variant in a comparison', async () => {
  const { api, projectId, suiteId } = await openSuite([two[0]!], () => ({ text: 'Hello.' }))
  const { runId: base } = await runOf(api, projectId, { suiteId })
  await setModels(api, projectId, suiteId, two)
  const { runId } = await runOf(api, projectId, { suiteId })
  const compared = await api.call(runs.compare, { projectId, runId, baseRunId: base })
  expect(compared.cases.map(({ status }) => status)).toEqual(['unchanged_passed', 'new_case'])
})

test('a case that asks no model has neither model nor tokens, and no model is a cause of its failure', async () => {
  const endpoint = await scriptedModel(() => ({ text: 'Hello.' }))
  const { api } = await open({ models: endpoint.settings })
  const { projectId } = await sandbox(api)
  const { args, command } = small('healthy').transport as { command: string; args: string[] }
  const body = { name: 'small', enabled: true, transportType: 'stdio', command, args }
  const { id: serverId } = await api.call(contract.servers.create, { projectId, body })
  const call = { id: 'call', kind: 'toolCall', toolName: 'pid' }
  const told = { id: 'told', kind: 'assert', assertion: { type: 'responseContains', needle: 'nowhere' } }
  const wants = { id: 'wants', kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName: 'other' } }
  const { suiteId } = await api.call(suites.create, {
    projectId,
    body: {
      name: 'No model',
      model: 'small',
      serverIds: [serverId],
      tests: [
        { title: 'Says', steps: [call, told], runs: 1 },
        { title: 'Calls', steps: [call, wants], runs: 1 },
      ],
    },
  })
  const { run, items } = await runOf(api, projectId, { suiteId })
  expect(items.map(({ model, provider }) => [model, provider])).toEqual([
    [null, null],
    [null, null],
  ])
  expect(items.map(causeOf)).toEqual(['case', 'case'])
  const [gate] = judgeGates([{ gate: 'max-tokens', wanted: 1 }], { run, trials: items, changes: [] })
  expect(gate).toMatchObject({ actual: 0, passed: true })
})
