import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { insertSamples } from '../../src/service/samples/insert-samples.ts'
import { createApi, echoCase, longCase, open, sandbox, untilEnded, type Api } from './harness.ts'
import { prompt } from './model-runs.ts'
import { scriptedModel } from './scripted-model.ts'

const { clients, hosts, environments, suites, cases, runs, servers } = contract

/** A suite of one case and a client with the reference server. */
async function workspace(tests: object[] = [echoCase('one', 'a')]) {
  const service = await open()
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const config = { modelId: 'openai/gpt-x', hostStyle: 'claude', serverIds: [serverId] }
  const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
  const body = { name: 'Own', model: 'suite/model', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const environment = (name: string, more: object = {}) =>
    api.call(environments.create, { projectId, body: { name, hostId: client.id, ...more } })
  const attach = (environmentId: string) =>
    api.call(suites.attachEnvironment, { projectId, suiteId, body: { environmentId } })
  const edit = (change: object) => api.call(suites.update, { projectId, suiteId, body: change })
  const launch = (more: object = {}) => api.call(runs.create, { projectId, body: { suiteId, ...more } })
  const refuse = (more: object = {}) => api.refused(runs.create, { projectId, body: { suiteId, ...more } })
  return { ...service, projectId, serverId, suiteId, client, environment, attach, edit, launch, refuse }
}

async function runOf(api: Api, projectId: string, { runId }: { runId: string }) {
  await untilEnded(api, projectId, runId)
  return api.call(runs.get, { projectId, runId })
}

describe('attachments of a suite', () => {
  test('are added one by one, set as a list, and cleared by null', async () => {
    const { api, projectId, suiteId, environment, attach, edit } = await workspace()
    const [a, b] = [await environment('a'), await environment('b')]
    expect(await attach(a.id)).toEqual({ suiteId, attached: true, environmentIds: [a.id] })
    expect(await attach(a.id)).toEqual({ suiteId, attached: false, environmentIds: [a.id] })
    expect(await attach(b.id)).toMatchObject({ attached: true, environmentIds: [a.id, b.id] })
    expect(await edit({ environmentIds: [b.id, a.id, b.id] })).toMatchObject({ environmentIds: [b.id, a.id] })
    expect(await edit({ name: 'Renamed' })).toMatchObject({ environmentIds: [b.id, a.id] })
    expect((await edit({ environmentIds: null })).environmentIds).toEqual([])
    const refuse = (body: object) => api.refused(suites.update, { projectId, suiteId, body })
    expect(await refuse({ environmentIds: [] })).toMatchObject({ status: 400, details: { field: 'environmentIds' } })
    expect(await refuse({ environmentIds: [a.id, 'env_none'] })).toMatchObject({ status: 404 })
  })

  test('of an archived environment stay, but no more are added', async () => {
    const { api, projectId, suiteId, environment, attach, edit } = await workspace()
    const [a, b] = [await environment('a'), await environment('b')]
    await attach(a.id)
    for (const { id } of [a, b])
      await api.call(environments.archive, { projectId, environmentId: id, body: { expectedRevision: 1 } })
    expect(await edit({ environmentIds: [a.id] })).toMatchObject({ environmentIds: [a.id] })
    const body = { environmentId: b.id }
    expect(await api.refused(suites.attachEnvironment, { projectId, suiteId, body })).toMatchObject({
      status: 409,
      details: { code: 'ENV_ARCHIVED' },
    })
  })

  test('of clients are named by id or name and keep their servers', async () => {
    const { api, projectId, suiteId, client, edit } = await workspace()
    const chosen = [{ host: 'Client', servers: ['everything'] }, { host: client.id }]
    expect((await edit({ hosts: chosen })).hosts).toEqual([{ id: client.id, name: 'Client', servers: ['everything'] }])
    for (const host of [{ host: 'Nobody' }, { host: 'Client', servers: ['nobody'] }])
      expect(await api.refused(suites.update, { projectId, suiteId, body: { hosts: [host] } })).toMatchObject({
        status: 404,
      })
    expect((await edit({ hosts: [] })).hosts).toEqual([])
  })
})

describe('a run on an environment', () => {
  test('needs that environment to be attached, or is refused before anything is written', async () => {
    const { api, projectId, suiteId, environment, refuse } = await workspace()
    const a = await environment('a')
    const tests = [{ ...echoCase('new', 'x'), runs: 1, model: 'm', provider: 'p' }]
    expect(await refuse({ environmentId: a.id, tests })).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field: 'environmentId', reason: 'ENVIRONMENT_NOT_ATTACHED' },
    })
    expect((await api.call(cases.list, { projectId, suiteId })).items).toHaveLength(1)
    expect((await api.call(runs.list, { projectId, suiteId })).items).toEqual([])
  })

  test('uses the only attached environment by itself and is pinned to its revision', async () => {
    const { api, projectId, client, environment, attach, launch } = await workspace()
    const a = await environment('Nightly', { modelId: 'own/model' })
    await attach(a.id)
    const created = await launch()
    const pinned = { id: a.id, name: 'Nightly', revision: 1 }
    expect(created).toMatchObject({ status: 'running', environment: pinned, servers: [{ name: 'everything' }] })
    const edit = { expectedRevision: 1, name: 'Weekly', modelId: null }
    await api.call(environments.update, { projectId, environmentId: a.id, body: edit })
    const config = { modelId: 'later/model', serverIds: [] }
    await api.call(hosts.update, { projectId, hostId: client.id, body: { name: 'Renamed', config } })
    expect(await runOf(api, projectId, created)).toMatchObject({
      result: 'passed',
      environment: pinned,
      client: { id: client.id, name: 'Client', source: 'environment', hostStyle: 'claude', modelId: 'own/model' },
      modelSource: 'override',
    })
  })

  test('takes the model of its client if the run has none of its own', async () => {
    const { api, projectId, environment, attach, launch } = await workspace()
    await attach((await environment('a')).id)
    expect(await runOf(api, projectId, await launch())).toMatchObject({
      client: { modelId: 'openai/gpt-x' },
      modelSource: 'client_default',
    })
    expect(await runOf(api, projectId, await launch({ model: 'x/y' }))).toMatchObject({ modelSource: 'override' })
  })

  test('must name one of several attached environments, and uses its servers', async () => {
    const { api, projectId, serverId, environment, attach, edit, launch, refuse } = await workspace()
    const [a, b, shelved] = [await environment('a'), await environment('b'), await environment('c')]
    for (const { id } of [a, b, shelved]) await attach(id)
    const body = { expectedRevision: 1 }
    await api.call(environments.archive, { projectId, environmentId: shelved.id, body })
    expect(await refuse()).toMatchObject({
      status: 400,
      details: {
        reason: 'ENVIRONMENT_REQUIRED',
        candidates: [
          { id: a.id, name: 'a' },
          { id: b.id, name: 'b' },
        ],
      },
    })
    expect(await refuse({ serverIds: [serverId] })).toMatchObject({
      status: 400,
      details: { field: 'serverIds', reason: 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE' },
    })
    expect(await refuse({ environmentId: a.id, serverIds: [serverId] })).toMatchObject({
      status: 400,
      details: { field: 'serverIds' },
    })
    expect(await refuse({ environmentId: a.id, namedHostId: 'x' })).toMatchObject({ details: { field: 'namedHostId' } })
    expect(await launch({ environmentId: b.id })).toMatchObject({ environment: { id: b.id } })
    await edit({ environmentIds: null })
    expect((await launch({ serverIds: [serverId] })).environment).toBeNull()
  })

  test('is refused with the reason if the environment cannot run', async () => {
    const { api, projectId, client, environment, attach, refuse } = await workspace()
    const a = await environment('a')
    await attach(a.id)
    await api.call(hosts.setServers, { projectId, hostId: client.id, body: { serverIds: [] } })
    expect(await refuse()).toMatchObject({ status: 409, details: { code: 'ENV_NO_SERVERS' } })
    await api.call(environments.archive, { projectId, environmentId: a.id, body: { expectedRevision: 1 } })
    expect(await refuse({ environmentId: a.id })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      details: { code: 'ENV_ARCHIVED' },
    })
  })

  test('is repeated on the same revision', async () => {
    const { api, projectId, environment, attach, launch } = await workspace([echoCase('bad', 'a', 'b')])
    const a = await environment('a')
    await attach(a.id)
    const first = await runOf(api, projectId, await launch())
    const input = { projectId, runId: first.id, body: { scope: 'failed_cases' } }
    const again = await api.call(runs.rerun, input)
    expect(await runOf(api, projectId, { runId: again.runId! })).toMatchObject({
      environment: { id: a.id, revision: 1 },
      client: { name: 'Client' },
    })
  })
})

describe('a run on a client', () => {
  test('uses the only attached client, with its servers and its model', async () => {
    const { api, projectId, client, edit, launch } = await workspace()
    await edit({ hosts: [{ host: 'Client' }], environment: { servers: [] } })
    const created = await launch()
    expect(created).toMatchObject({ servers: [{ name: 'everything' }], environment: null })
    expect(await runOf(api, projectId, created)).toMatchObject({
      result: 'passed',
      environment: null,
      client: { id: client.id, source: 'attached_host', modelId: 'openai/gpt-x' },
      modelSource: 'client_default',
    })
    await api.call(clients.delete, { projectId, clientId: client.id, body: { force: true } })
    expect(await api.call(runs.get, { projectId, runId: created.runId })).toMatchObject({ client: { name: 'Client' } })
  })

  test('may name one of several attached clients; otherwise the saved servers are used', async () => {
    const { api, projectId, serverId, client, edit, launch, refuse } = await workspace()
    const other = { name: 'Other', template: 'chatgpt' }
    const second = await api.call(clients.create, { projectId, body: other })
    const third = await api.call(clients.create, { projectId, body: { ...other, name: 'Third' } })
    await edit({ hosts: [{ host: 'Client' }, { host: 'Other', servers: [serverId] }] })
    expect((await runOf(api, projectId, await launch())).client).toBeUndefined()
    expect(await runOf(api, projectId, await launch({ namedHostId: second.id }))).toMatchObject({
      client: { id: second.id, hostStyle: 'chatgpt' },
    })
    expect(await refuse({ namedHostId: third.id })).toMatchObject({ status: 400, details: { field: 'namedHostId' } })
    expect(await refuse({ namedHostId: 'cli_none' })).toMatchObject({ status: 404 })
    await api.call(servers.delete, { projectId, serverId })
    expect(await refuse({ namedHostId: client.id })).toMatchObject({
      status: 400,
      details: { reason: 'NO_SAVED_SERVER_SELECTION' },
    })
  })

  test('may attach the client with the launch, to a new or an existing suite', async () => {
    const { api, projectId, suiteId, launch } = await workspace()
    const tests = [{ ...echoCase('inline', 'x'), runs: 1, model: 'm', provider: 'p' }]
    const body = { suiteName: 'New', tests, hosts: [{ host: 'Client' }] }
    const created = await api.call(runs.create, { projectId, body })
    expect(created).toMatchObject({ servers: [{ name: 'everything' }] })
    expect(await runOf(api, projectId, created)).toMatchObject({ client: { name: 'Client' } })
    expect(await runOf(api, projectId, await launch({ hosts: [{ host: 'Client' }] }))).toMatchObject({
      client: { source: 'attached_host' },
    })
    expect(await api.call(suites.get, { projectId, suiteId })).toMatchObject({ hosts: [{ name: 'Client' }] })
  })
})

test('members may attach targets and launch runs', async () => {
  const { api, store, projectId, suiteId, environment } = await workspace([longCase('long', 60)])
  const { id } = await environment('a')
  const member = createApi(api.fetch, makeKey(store, 'm', { grants: { [projectId]: 'member' } }).key)
  const body = { environmentId: id }
  expect(await member.call(suites.attachEnvironment, { projectId, suiteId, body })).toMatchObject({ attached: true })
  expect(await member.call(runs.create, { projectId, body: { suiteId } })).toMatchObject({ environment: { id } })
})

test('a launch that names no client uses the project’s first client and the suite’s own servers', async () => {
  const { api } = await open()
  const { projectId, serverId, suiteId } = await sandbox(api)
  const launch = async (body: object) => {
    const { runId } = await api.call(runs.create, { projectId, body })
    return await untilEnded(api, projectId, runId)
  }
  expect(await launch({ suiteId })).not.toHaveProperty('client')
  const config = { modelId: 'some/model', serverIds: [] }
  const first = await api.call(clients.create, { projectId, body: { name: 'First', config } })
  await api.call(clients.create, { projectId, body: { name: 'Second', config } })
  const supplied = { id: first.id, name: 'First', source: 'suite_default', modelId: 'some/model' }
  expect(await launch({ suiteId })).toMatchObject({ client: supplied })
  const tests = [{ ...echoCase('inline', 'x'), runs: 1, model: 'm', provider: 'p' }]
  const fresh = await launch({ suiteName: 'New', serverIds: [serverId], tests })
  expect(fresh).toMatchObject({ result: 'passed', client: supplied })
})

test('the default client does not change the model of a suite, and a sample is never the default client', async () => {
  const { settings } = await scriptedModel(() => ({ text: 'Hello.' }))
  const { api, store } = await open({ models: settings })
  const { projectId, serverId } = await sandbox(api)
  const own = { title: 'own', steps: [prompt('Hello')], runs: 1 }
  const body = { name: 'Own model', model: 'own/model', serverIds: [serverId], tests: [own] }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const launch = async () => {
    const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
    const run = await untilEnded(api, projectId, runId)
    const { items } = await api.call(contract.iterations.list, { projectId, runId })
    return { run, models: [...new Set(items.map(({ model }) => model))] }
  }
  const now = Date.now()
  expect(insertSamples(store, now)).toBe(true)
  const { run, models } = await launch()
  expect(run).not.toHaveProperty('client')
  expect(models).toEqual(['own/model'])
  const config = { modelId: 'some/model', serverIds: [] }
  const { id } = await api.call(clients.create, { projectId, body: { name: 'First', config } })
  const supplied = await launch()
  expect(supplied.run.client).toEqual({ id, name: 'First', source: 'suite_default' })
  expect(supplied.models).toEqual(['own/model'])
  const tests = [{ ...own, model: 'm', provider: 'scripted' }]
  const inline = await api.call(runs.create, { projectId, body: { suiteName: 'New', serverIds: [serverId], tests } })
  expect(await untilEnded(api, projectId, inline.runId)).toMatchObject({ modelSource: 'case' })
})
