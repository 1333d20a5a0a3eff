import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { CLIENT_TEMPLATES } from '../../src/api/contract/clients.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { createApi, open, sandbox } from './harness.ts'

const { clients, hosts, environments, suites, projects } = contract

async function workspace() {
  const service = await open()
  const known = await sandbox(service.api)
  const create = (body: object) => service.api.call(clients.create, { projectId: known.projectId, body })
  return { ...service, ...known, create }
}

test('every template makes a client with a model', async () => {
  const { api, projectId, create } = await workspace()
  for (const template of CLIENT_TEMPLATES) {
    const made = await create({ name: template, template, theme: 'dark' })
    expect(made.config).toMatchObject({ hostStyle: template, theme: 'dark', modelId: expect.any(String) })
  }
  const { items } = await api.call(clients.list, { projectId })
  expect(items.map(({ name }) => name)).toEqual([...CLIENT_TEMPLATES])
  expect(items.every(({ modelId, serverCount }) => modelId && serverCount === 0)).toBe(true)
})

test('a config is stored unchanged, and equal configs have one id', async () => {
  const { api, projectId, create } = await workspace()
  const config = { modelId: 'openai/gpt-x', nested: { a: [1, null], b: 'ü' }, serverIds: ['srv_gone'] }
  const first = await create({ name: 'First', config })
  const second = await create({ name: 'Second', config: { ...config, nested: { b: 'ü', a: [1, null] } } })
  expect(first.config).toEqual(config)
  expect(second.configId).toBe(first.configId)
  expect(await api.call(clients.get, { projectId, clientId: first.id })).toEqual(first)
  expect((await api.call(clients.list, { projectId })).items[0]).toMatchObject({ serverCount: 0 })
})

describe('an edit of a client', () => {
  test('is accepted if its writer saw the current version, and refused otherwise', async () => {
    const { api, projectId, create } = await workspace()
    const made = await create({ name: 'Mine', config: { modelId: 'a/b' } })
    const input = (body: object) => ({ projectId, clientId: made.id, body })
    const config = { modelId: 'a/c' }
    const edited = await api.call(clients.update, input({ config, expectedConfigId: made.configId }))
    expect(edited).toMatchObject({ name: 'Mine', config })
    expect(edited.configId).not.toBe(made.configId)
    expect(await api.refused(clients.update, input({ config, expectedConfigId: made.configId }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      details: { field: 'expectedConfigId', current: { name: 'Mine', configId: edited.configId } },
    })
    await api.call(clients.update, input({ name: 'Ours', expectedName: 'Mine' }))
    const both = { name: 'X', expectedName: 'Mine', config, expectedConfigId: edited.configId }
    expect(await api.refused(clients.update, input(both))).toMatchObject({
      status: 409,
      details: { field: 'expectedName', current: { name: 'Ours' } },
    })
    expect(await api.call(clients.get, { projectId, clientId: made.id })).toMatchObject({ name: 'Ours', config })
  })

  test('reports which field is wrong', async () => {
    const { api, projectId, create } = await workspace()
    const made = await create({ name: 'Mine', config: { modelId: 'a/b' } })
    await create({ name: 'Taken', template: 'claude' })
    const update = (body: object) => api.refused(clients.update, { projectId, clientId: made.id, body })
    const expected = { expectedConfigId: made.configId, expectedName: 'Mine' }
    for (const [body, status, field] of [
      [{ config: { modelId: 'a' } }, 400, 'expectedConfigId'],
      [{ name: 'New' }, 400, 'expectedName'],
      [{ ...expected, name: ' ' }, 400, 'name'],
      [{ ...expected, name: 'Taken' }, 409, 'name'],
      [{ ...expected, config: { theme: 'dark' } }, 400, 'config.modelId'],
      [{ ...expected, config: { modelId: 'a', serverIds: 'all' } }, 400, 'config.serverIds'],
      [{ ...expected, config: {} }, 400, 'config'],
      [{ name: 'New', expectedName: 'Mine', colour: 'red' }, 400, 'colour'],
    ] as const)
      expect(await update(body)).toMatchObject({ status, details: { field } })
    const create400 = (body: object) => api.refused(clients.create, { projectId, body })
    expect(await create400({ name: 'x', config: { modelId: ' ' } })).toMatchObject({ status: 400 })
    expect(await create400({ name: 'x' })).toMatchObject({ details: { field: 'template' } })
    expect(await create400({ name: 'Mine', template: 'claude' })).toMatchObject({ status: 409 })
  })
})

test('the former paths announce that they are deprecated and keep their shapes', async () => {
  const { api, projectId, serverId } = await workspace()
  const body = { name: 'Old', template: 'cursor' }
  const answer = await api.send(hosts.create, { projectId, body })
  expect([answer.status, answer.headers.get('deprecation')]).toEqual([201, 'true'])
  const made = (await answer.json()) as { id: string }
  expect(Object.keys(made)).toEqual(['id', 'name', 'config'])
  const input = { projectId, hostId: made.id }
  const [row] = (await api.call(hosts.list, { projectId })).items
  const [client] = (await api.call(clients.list, { projectId })).items
  expect(row).toMatchObject({ hostConfigId: client?.configId, serverCount: 0 })
  expect(row?.configId).toBeUndefined()

  const wider = { name: 'New', expectedName: 'Old' }
  expect(await api.refused(hosts.update, { ...input, body: wider })).toMatchObject({
    details: { field: 'expectedName' },
  })
  const replaced = { modelId: 'a/b', kept: true }
  expect(await api.call(hosts.update, { ...input, body: { name: 'New', config: replaced } })).toEqual({
    id: made.id,
    name: 'New',
    config: replaced,
  })
  const servers = { serverIds: [serverId] }
  expect(await api.call(hosts.setServers, { ...input, body: servers })).toMatchObject({
    config: { ...replaced, ...servers, optionalServerIds: [] },
  })
  expect(await api.refused(hosts.setServers, { ...input, body: { serverIds: ['srv_none'] } })).toMatchObject({
    status: 404,
  })
  expect((await api.call(hosts.list, { projectId })).items[0]).toMatchObject({ serverCount: 1 })
  await api.call(contract.servers.delete, { projectId, serverId })
  expect((await api.call(hosts.list, { projectId })).items[0]).toMatchObject({ serverCount: 0 })
  expect(await api.call(hosts.delete, input)).toEqual({ id: made.id, deleted: true })
  expect(await api.refused(hosts.get, input)).toMatchObject({ status: 404 })
})

test('a copy of a client refers to the same config and gets a free name', async () => {
  const { api, projectId, create } = await workspace()
  const made = await create({ name: 'Mine', template: 'chatgpt' })
  const copy = (body?: object) => api.call(clients.duplicate, { projectId, clientId: made.id, ...(body && { body }) })
  const names = [(await copy()).name, (await copy({})).name, (await copy({ name: 'Own' })).name]
  expect(names).toEqual(['Mine copy', 'Mine copy 2', 'Own'])
  const { items } = await api.call(clients.list, { projectId })
  expect(new Set(items.map(({ configId }) => configId))).toEqual(new Set([made.configId]))
  expect(await api.refused(clients.duplicate, { projectId, clientId: made.id, body: { name: 'Own' } })).toMatchObject({
    status: 409,
    details: { field: 'name' },
  })
})

test('a client in use is deleted only by force, and suites no longer refer to it', async () => {
  const { api, projectId, suiteId, create } = await workspace()
  const made = await create({ name: 'Mine', template: 'claude' })
  const input = { projectId, clientId: made.id }
  const body = { name: 'Nightly', hostId: made.id }
  const environment = await api.call(environments.create, { projectId, body })
  await api.call(suites.update, { projectId, suiteId, body: { hosts: [{ host: 'Mine' }] } })
  expect(await api.call(suites.get, { projectId, suiteId })).toMatchObject({ hosts: [{ id: made.id, name: 'Mine' }] })
  expect(await api.refused(clients.delete, { ...input, body: { force: false } })).toMatchObject({
    status: 409,
    details: { environmentIds: [environment.id], suiteIds: [suiteId] },
  })
  expect(await api.call(clients.delete, { ...input, body: { force: true } })).toMatchObject({ deleted: true })
  expect((await api.call(suites.get, { projectId, suiteId })).hosts).toEqual([])
  expect(await api.refused(environments.resolve, { projectId, environmentId: environment.id })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    details: { code: 'ENV_HOST_MISSING' },
  })
  expect(await api.refused(clients.get, input)).toMatchObject({ status: 404 })
})

test('members may create clients, but not copy them or set their servers; foreign ones are not found', async () => {
  const { api, store, projectId, create } = await workspace()
  const made = await create({ name: 'Mine', template: 'claude' })
  const member = createApi(api.fetch, makeKey(store, 'm', { grants: { [projectId]: 'member' } }).key)
  const body = { name: 'Theirs', template: 'claude' }
  expect(await member.call(clients.create, { projectId, body })).toMatchObject({ name: 'Theirs' })
  for (const [endpoint, input] of [
    [clients.duplicate, { clientId: made.id }],
    [hosts.duplicate, { hostId: made.id }],
    [hosts.setServers, { hostId: made.id, body: { serverIds: [] } }],
  ] as const)
    expect(await member.refused(endpoint, { projectId, ...input })).toMatchObject({ status: 403 })
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  expect(await api.refused(clients.get, { projectId: other.id, clientId: made.id })).toMatchObject({ status: 404 })
})
