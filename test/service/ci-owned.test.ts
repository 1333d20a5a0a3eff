import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { echoCase, open, sandbox, untilEnded } from './harness.ts'

const { evalIngest, environments, clients, suites, cases, runs, iterations } = contract

/** A suite that a file in a repository created by reporting a run. */
async function owned() {
  const service = await open()
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const body = {
    suiteName: 'From the repository',
    declaredSuiteId: 'suite-file',
    results: [{ caseTitle: 'one', caseId: 'one', passed: true }],
  }
  const report = (more: object = {}) => api.call(evalIngest.report, { projectId, body: { ...body, ...more } })
  const suiteId = (await report())['suiteId'] as string
  return { ...service, projectId, serverId, suiteId, report }
}

const refusal = { status: 409, code: 'CONFLICT', details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } }

test('the configuration of a suite that is owned by a file is refused to other writers', async () => {
  const { api, projectId, serverId, suiteId } = await owned()
  const caseId = (await api.call(cases.list, { projectId, suiteId })).items[0]!.id
  const config = { modelId: 'x/y', serverIds: [serverId] }
  const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
  const stack = await api.call(environments.create, { projectId, body: { name: 'e', hostId: client.id } })
  const target = { projectId, suiteId }
  const before = await api.call(suites.get, target)
  for (const [endpoint, input] of [
    [suites.update, { body: { name: 'Mine' } }],
    [suites.update, { body: { settings: { minimumAccuracy: 50 } } }],
    [suites.attachEnvironment, { body: { environmentId: stack.id } }],
    [suites.schedule, { body: { enabled: true, intervalMinutes: 60 } }],
    [suites.delete, {}],
    [cases.create, { body: echoCase('two', 'x') }],
    [cases.createBatch, { body: { cases: [echoCase('two', 'x')] } }],
    [cases.update, { caseId, body: { title: 'Mine' } }],
    [cases.delete, { caseId }],
    [runs.create, { body: { suiteId, tests: [{ ...echoCase('two', 'x'), runs: 1, model: 'm', provider: 'p' }] } }],
    [runs.create, { body: { suiteId, hosts: [{ host: 'Client' }] } }],
    [runs.create, { body: { suiteId, serverIds: [serverId], refreshSnapshot: true } }],
  ] as const) {
    const { projectId: project, suiteId: suite } = target
    const named = endpoint === runs.create ? { projectId: project } : { projectId: project, suiteId: suite }
    const { operation } = endpoint
    expect({ operation, ...(await api.refused(endpoint, { ...named, ...input })) }).toMatchObject({
      operation,
      ...refusal,
    })
  }
  expect(await api.call(suites.get, target)).toEqual(before)
  expect((await api.call(cases.list, target)).items).toMatchObject([{ declaredId: 'one' }])
})

test('a file syncs its own suite by the file’s id, in the query or in the body', async () => {
  const { api, projectId, suiteId } = await owned()
  const batch = (title: string) => ({ cases: [echoCase(title, title)] })
  const named = { projectId, suiteId, declaredSuiteId: 'suite-file' }
  expect((await api.call(cases.createBatch, { ...named, body: batch('two') })).created).toHaveLength(1)
  const inBody = { ...batch('three'), declaredSuiteId: 'suite-file' }
  expect((await api.call(cases.createBatch, { projectId, suiteId, body: inBody })).created).toHaveLength(1)
  for (const [declaredSuiteId, wanted] of [
    ['another-file', refusal],
    [suiteId, refusal],
    ['', refusal],
    ['x'.repeat(129), { status: 400, details: { field: 'declaredSuiteId' } }],
  ] as const) {
    const other = { projectId, suiteId, declaredSuiteId, body: batch('four') }
    expect({ declaredSuiteId, ...(await api.refused(cases.createBatch, other)) }).toMatchObject({
      declaredSuiteId,
      ...wanted,
    })
  }
  const both = { ...named, body: { ...batch('four'), declaredSuiteId: 'another-file' } }
  expect(await api.refused(cases.createBatch, both)).toMatchObject({
    status: 400,
    details: { field: 'declaredSuiteId' },
  })
  const items = (await api.call(cases.list, { projectId, suiteId })).items
  expect(items.map(({ title }) => title)).toEqual(['one', 'two', 'three'])
})

test('reports of the file find its suite by id, whatever its name, and update its cases', async () => {
  const { api, projectId, suiteId, report } = await owned()
  const results = [
    { caseTitle: 'one, renamed', caseId: 'one', query: 'Why?', passed: true },
    { caseTitle: 'new', passed: false },
  ]
  expect(await report({ suiteName: 'Renamed', results })).toMatchObject({ suiteId, result: 'failed' })
  expect((await api.call(cases.list, { projectId, suiteId })).items).toMatchObject([
    { declaredId: 'one', title: 'one, renamed', steps: [{ prompt: 'Why?' }] },
    { title: 'new' },
  ])
  expect(await report({ declaredSuiteId: 'second-file' })).not.toMatchObject({ suiteId })
  const stranger = { suiteId, declaredSuiteId: 'second-file', results }
  expect(await api.refused(evalIngest.report, { projectId, body: stranger })).toMatchObject({
    status: 400,
    details: { field: 'declaredSuiteId' },
  })
  const unowned = await report({ declaredSuiteId: null, suiteName: 'From the repository' })
  expect(unowned['suiteId']).not.toBe(suiteId)
})

test('a report that names only the suite, not the file, adds a run but no case', async () => {
  const { api, projectId, suiteId } = await owned()
  const { items: before } = await api.call(cases.list, { projectId, suiteId })
  const results = [
    { caseTitle: 'one', caseId: 'one', query: 'Other words', passed: true },
    { caseTitle: 'two', passed: true },
  ]
  const run = await api.call(evalIngest.start, { projectId, body: { suiteId } })
  const named = { runId: run['runId'] as string }
  await api.call(evalIngest.iterations, { projectId, body: { ...named, results } })
  await api.call(evalIngest.finalize, { projectId, body: named })
  const { items } = await api.call(iterations.list, { projectId, ...named })
  expect(items.map(({ testCaseId }) => testCaseId)).toEqual([before[0]!.id, 'two'])
  expect((await api.call(cases.list, { projectId, suiteId })).items).toEqual(before)
})

test('a suite that no file owns accepts writes, also under a declared id', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const named = { projectId, suiteId, declaredSuiteId: 'some-file' }
  const body = { cases: [echoCase('two', 'x')] }
  expect((await api.call(cases.createBatch, { ...named, body })).created).toHaveLength(1)
  expect(await api.call(suites.update, { projectId, suiteId, body: { name: 'Still mine' } })).toMatchObject({
    name: 'Still mine',
  })
  const results = [{ caseTitle: 'a', passed: true }]
  const reported = await api.call(evalIngest.report, { projectId, body: { suiteName: 'Plain', results } })
  const free = { projectId, suiteId: reported['suiteId'] as string }
  expect(await api.call(suites.update, { ...free, body: { name: 'Taken over' } })).toMatchObject({ name: 'Taken over' })
  expect(await api.call(suites.delete, free)).toMatchObject({ deleted: true })
})

test('a run of an owned suite is accepted as long as it brings no configuration', async () => {
  const { api, projectId, serverId, suiteId } = await owned()
  const batch = { cases: [{ ...echoCase('echoes', 'hi'), id: 'echoes' }] }
  const declared = { projectId, suiteId, declaredSuiteId: 'suite-file', body: batch }
  const { created } = await api.call(cases.createBatch, declared)
  const body = { suiteId, serverIds: [serverId], caseIds: [created[0]!.id] }
  const { runId } = await api.call(runs.create, { projectId, body })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ result: 'passed', source: 'api' })
})
