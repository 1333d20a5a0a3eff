import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { createApi, open, sandbox, temporaryDirectory, type Api } from './harness.ts'

const { clients, hosts, environments, projects } = contract

/** A client with the reference server, and an environment with it. */
async function workspace() {
  const service = await open()
  const { api } = service
  const known = await sandbox(api)
  const { projectId, serverId } = known
  const config = { modelId: 'openai/gpt-x', serverIds: [serverId] }
  const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
  const create = (name: string, more: object = {}) =>
    api.call(environments.create, { projectId, body: { name, hostId: client.id, ...more } })
  return { ...service, ...known, client, create }
}

test('an environment is created, read, edited and listed', async () => {
  const { api, projectId, client, create } = await workspace()
  const made = await create('Nightly', { description: 'every night', modelId: 'a/b' })
  expect(made).toMatchObject({ name: 'Nightly', hostId: client.id, revision: 1, archived: false })
  const input = { projectId, environmentId: made.id }
  const edit = (body: object) => api.call(environments.update, { ...input, body })
  expect(await edit({ expectedRevision: 1, modelId: null, description: '' })).toMatchObject({ revision: 2 })
  const read = await api.call(environments.get, input)
  expect([read.modelId, read.description, read.archivedAt]).toEqual([undefined, undefined, undefined])
  expect(await edit({ expectedRevision: 2, name: 'Weekly', skillSelection: null })).toMatchObject({
    name: 'Weekly',
    revision: 3,
  })
  expect((await api.call(environments.list, { projectId })).items.map(({ id }) => id)).toEqual([made.id])
  expect(await api.call(environments.capabilities, { projectId })).toMatchObject({ modelOverrides: true })
})

test('an invalid write of an environment is refused with the reason', async () => {
  const { api, projectId, client, create } = await workspace()
  await create('Taken')
  const made = await create('Nightly')
  const refuseCreate = (body: object) => api.refused(environments.create, { projectId, body })
  const refuseEdit = (body: object) =>
    api.refused(environments.update, { projectId, environmentId: made.id, body: { expectedRevision: 1, ...body } })
  const hostId = client.id
  for (const [refusal, status, field] of [
    [await refuseCreate({ name: ' ', hostId }), 400, 'name'],
    [await refuseCreate({ name: 'Taken', hostId }), 409, 'name'],
    [await refuseCreate({ name: 'x', hostId: 'cli_none' }), 404, undefined],
    [await refuseCreate({ name: 'x', hostId, serverAttachmentId: 'g' }), 404, undefined],
    [await refuseCreate({ name: 'x', hostId, pluginVersionIds: ['p'] }), 404, undefined],
    [await refuseCreate({ name: 'x', hostId, sandboxImageId: 'i' }), 404, undefined],
    [await refuseCreate({ name: 'x', hostId, modelId: ' ' }), 400, 'modelId'],
    [await refuseEdit({ name: 'Taken' }), 409, 'name'],
    [await refuseEdit({ pluginVersionIds: [] }), 400, 'pluginVersionIds'],
    [await refuseEdit({ hostId: 'cli_none' }), 404, undefined],
    [await refuseEdit({}), 400, ''],
    [await refuseEdit({ expectedRevision: -1, name: 'x' }), 400, 'expectedRevision'],
  ] as const)
    expect([refusal.status, refusal.details?.['field']]).toEqual([status, field])
  expect(await refuseEdit({ expectedRevision: 7, name: 'x' })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    details: { field: 'expectedRevision', current: { id: made.id, name: 'Nightly', revision: 1 } },
  })
})

test('archiving an environment frees its name, and restoring it needs the name again', async () => {
  const { api, projectId, create } = await workspace()
  const first = await create('Nightly')
  const act = (name: 'archive' | 'restore', environmentId: string, expectedRevision: number) =>
    [environments[name], { projectId, environmentId, body: { expectedRevision } }] as const
  expect(await api.refused(...act('restore', first.id, 1))).toMatchObject({ status: 409 })
  expect(await api.refused(...act('archive', first.id, 2))).toMatchObject({ details: { current: { revision: 1 } } })
  const archived = await api.call(...act('archive', first.id, 1))
  expect(archived).toMatchObject({ archived: true, archivedAt: expect.any(Number), revision: 2 })
  expect(await api.refused(...act('archive', first.id, 2))).toMatchObject({
    status: 409,
    details: { code: 'ENV_ARCHIVED' },
  })
  const edit = { expectedRevision: 2, description: 'x' }
  expect(await api.refused(environments.update, { projectId, environmentId: first.id, body: edit })).toMatchObject({
    status: 409,
    details: { code: 'ENV_ARCHIVED' },
  })

  const second = await create('Nightly')
  const ids = async (query: object = {}) =>
    (await api.call(environments.list, { projectId, ...query })).items.map(({ id }) => id)
  expect(await ids()).toEqual([second.id])
  expect(await ids({ includeArchived: true })).toEqual([first.id, second.id])
  expect(await api.refused(...act('restore', first.id, 2))).toMatchObject({ status: 409, details: { field: 'name' } })
  await api.call(...act('archive', second.id, 1))
  expect(await api.call(...act('restore', first.id, 2))).toMatchObject({ archived: false, revision: 3 })
})

describe('resolving an environment', () => {
  test('shows what a launch would use', async () => {
    const { api, projectId, serverId, client, create } = await workspace()
    const plain = await create('Plain')
    const input = { projectId, environmentId: plain.id }
    expect(await api.call(environments.resolve, input)).toEqual({
      environment: { id: plain.id, name: 'Plain', revision: 1 },
      hostId: client.id,
      hostName: 'Client',
      hostConfigId: client.configId,
      effectiveModelId: 'openai/gpt-x',
      modelSource: 'host',
      selectedServerIds: [serverId],
      effectiveServerIds: [serverId],
      pluginVersions: [],
      servers: [{ serverId, name: 'everything' }],
    })
    const own = await create('Own', { modelId: 'a/b' })
    expect(await api.call(environments.resolve, { projectId, environmentId: own.id })).toMatchObject({
      modelId: 'a/b',
      effectiveModelId: 'a/b',
      modelSource: 'environment',
    })
    const body = { config: { modelId: 'c/d', serverIds: [serverId] } }
    await api.call(hosts.update, { projectId, hostId: client.id, body })
    expect(await api.call(environments.resolve, input)).toMatchObject({
      environment: { revision: 1 },
      effectiveModelId: 'c/d',
    })
  })

  test('says why the environment cannot run', async () => {
    const { api, store, projectId, client, create } = await workspace()
    const made = await create('Nightly')
    const refuse = () => api.refused(environments.resolve, { projectId, environmentId: made.id })
    const hostId = client.id
    await api.call(hosts.setServers, { projectId, hostId, body: { serverIds: [] } })
    expect(await refuse()).toMatchObject({ status: 409, details: { code: 'ENV_NO_SERVERS' } })
    // No write of the contract removes a model, so the test changes the record itself.
    store.write(() => store.clients.update({ ...store.clients.get(projectId, hostId)!, config: { theme: 'dark' } }))
    expect(await refuse()).toMatchObject({
      status: 409,
      details: { code: 'ENV_MODEL_REQUIRED', reason: 'environment_model_required' },
    })
    await api.call(clients.delete, { projectId, clientId: hostId, body: { force: true } })
    expect(await refuse()).toMatchObject({ status: 409, details: { code: 'ENV_HOST_MISSING' } })
    const body = { expectedRevision: 1 }
    await api.call(environments.archive, { projectId, environmentId: made.id, body })
    expect(await refuse()).toMatchObject({ status: 409, details: { code: 'ENV_ARCHIVED' } })
  })
})

test('a nameless environment is found by its content until it gets a name', async () => {
  const { api, projectId, client } = await workspace()
  const ensure = (more: object = {}) =>
    api.call(environments.ensureAdhoc, { projectId, body: { hostId: client.id, ...more } })
  const [first, again, other] = [await ensure(), await ensure(), await ensure({ modelId: 'a/b' })]
  expect(first).toMatchObject({ created: true, environment: { name: null, adhoc: true, revision: 1 } })
  expect(again).toEqual({ ...first, created: false })
  expect(other).toMatchObject({ created: true, environment: { modelId: 'a/b' } })
  expect((await api.call(environments.list, { projectId, includeArchived: true })).items).toEqual([])

  const input = { projectId, environmentId: first.environment.id }
  const edit = { expectedRevision: 1, modelId: 'x/y' }
  expect(await api.refused(environments.update, { ...input, body: edit })).toMatchObject({ status: 409 })
  const naming = { expectedRevision: 1, name: 'Kept' }
  expect(await api.refused(environments.name, { ...input, body: { ...naming, expectedRevision: 0 } })).toMatchObject({
    status: 409,
    details: { field: 'expectedRevision' },
  })
  expect(await api.refused(environments.name, { ...input, body: { ...naming, name: '' } })).toMatchObject({
    details: { field: 'name' },
  })
  const named = await api.call(environments.name, { ...input, body: naming })
  expect(named).toMatchObject({ id: first.environment.id, name: 'Kept', revision: 2 })
  expect(named.adhoc).toBeUndefined()
  const twice = { expectedRevision: 2, name: 'Kept twice' }
  expect(await api.refused(environments.name, { ...input, body: twice })).toMatchObject({ status: 409 })

  const fresh = await ensure()
  expect(fresh).toMatchObject({ created: true })
  const shelved = { projectId, environmentId: fresh.environment.id }
  await api.call(environments.archive, { ...shelved, body: { expectedRevision: 1 } })
  expect(await ensure()).toMatchObject({ created: true })
  expect(await api.refused(environments.restore, { ...shelved, body: { expectedRevision: 2 } })).toMatchObject({
    status: 409,
  })
})

test('members read environments and use them in suites; only admins change them', async () => {
  const { api, store, projectId, client, create } = await workspace()
  const made = await create('Nightly')
  const as = (role: 'guest' | 'member' | 'editor') =>
    createApi(api.fetch, makeKey(store, role, { grants: { [projectId]: role } }).key)
  const [guest, member, editor] = [as('guest'), as('member'), as('editor')]
  const input = { projectId, environmentId: made.id }
  expect(await guest.refused(environments.list, { projectId })).toMatchObject({ status: 403 })
  for (const endpoint of [environments.get, environments.resolve, environments.list])
    expect((await member.send(endpoint, endpoint === environments.list ? { projectId } : input)).status).toBe(200)
  const stack = { hostId: client.id }
  const composed = await member.call(environments.ensureAdhoc, { projectId, body: stack })
  expect(composed.created).toBe(true)
  const pinned = { ...stack, pluginVersionIds: ['p'] }
  expect(await member.refused(environments.ensureAdhoc, { projectId, body: pinned })).toMatchObject({ status: 403 })
  const revision = { expectedRevision: 1 }
  for (const [endpoint, rest] of [
    [environments.create, { projectId, body: { name: 'x', ...stack } }],
    [environments.update, { ...input, body: { ...revision, name: 'x' } }],
    [environments.archive, { ...input, body: revision }],
    [environments.restore, { ...input, body: revision }],
    [environments.name, { projectId, environmentId: composed.environment.id, body: { ...revision, name: 'x' } }],
  ] as const)
    expect(await editor.refused(endpoint, rest)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  const other = await api.call(projects.create, { body: { name: 'Other' } })
  expect(await api.refused(environments.get, { projectId: other.id, environmentId: made.id })).toMatchObject({
    status: 404,
  })
})

test('only one of two processes that edit the same revision succeeds', async () => {
  const dataDir = temporaryDirectory()
  const [first, second] = [await open({ dataDir }), await open({ dataDir })]
  const { projectId } = await sandbox(first.api)
  const client = { name: 'Client', template: 'claude' }
  const { id: hostId } = await first.api.call(clients.create, { projectId, body: client })
  const stack = { name: 'Nightly', hostId }
  const { id: environmentId } = await first.api.call(environments.create, { projectId, body: stack })
  const edit = ({ api }: { api: Api }, name: string) =>
    api.send(environments.update, { projectId, environmentId, body: { expectedRevision: 1, name } })
  const answers = await Promise.all([edit(first, 'a'), edit(second, 'b'), edit(first, 'c')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  const winner = ['a', 'b', 'c'][answers.findIndex(({ status }) => status === 200)]
  expect(await second.api.call(environments.get, { projectId, environmentId })).toMatchObject({
    name: winner,
    revision: 2,
  })
})

type Modelled = { id: string; name: string; revision: number; archived: boolean }
type Action =
  | { kind: 'create'; name: string }
  | { kind: 'rename'; index: number; name: string; lag: number }
  | { kind: 'archive' | 'restore'; index: number; lag: number }

/** Whether the model accepts a write on one environment. */
function allowed(known: readonly Modelled[], row: Modelled, action: Exclude<Action, { kind: 'create' }>) {
  const taken = (name: string) => known.some(other => other !== row && !other.archived && other.name === name)
  if (action.lag !== 0) return false
  if (action.kind === 'rename') return !row.archived && !taken(action.name)
  return action.kind === 'archive' ? !row.archived : row.archived && !taken(row.name)
}

async function perform(api: Api, projectId: string, hostId: string, known: Modelled[], action: Action) {
  if (action.kind === 'create') {
    const { name } = action
    const free = !known.some(row => !row.archived && row.name === name)
    const answer = await api.send(environments.create, { projectId, body: { name, hostId } })
    expect(answer.status).toBe(free ? 201 : 409)
    if (!free) return
    const { id } = (await answer.json()) as { id: string }
    known.push({ id, name, revision: 1, archived: false })
    return
  }
  const row = known[action.index % Math.max(known.length, 1)]
  if (!row) return
  const goesThrough = allowed(known, row, action)
  const body = { expectedRevision: row.revision + action.lag, ...(action.kind === 'rename' && { name: action.name }) }
  const endpoint = action.kind === 'rename' ? environments.update : environments[action.kind]
  const answer = await api.send(endpoint, { projectId, environmentId: row.id, body })
  expect({ action, row, status: answer.status }).toEqual({ action, row, status: goesThrough ? 200 : 409 })
  if (!goesThrough) return
  row.revision += 1
  if (action.kind === 'rename') row.name = action.name
  else row.archived = action.kind === 'archive'
}

test('after writes in any order, the environments match a small model', async () => {
  const { api } = await open()
  const name = fc.constantFrom('a', 'b', 'c')
  const index = fc.nat(5)
  const lag = fc.constantFrom(0, 0, 0, 1, -1)
  const action: fc.Arbitrary<Action> = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), name }),
    fc.record({ kind: fc.constant('rename' as const), index, name, lag }),
    fc.record({ kind: fc.constantFrom('archive' as const, 'restore' as const), index, lag }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async actions => {
      const { id: projectId } = await api.call(projects.create, { body: { name: 'Model' } })
      const body = { name: 'Client', template: 'claude' }
      const { id: hostId } = await api.call(clients.create, { projectId, body })
      const known: Modelled[] = []
      for (const each of actions) await perform(api, projectId, hostId, known, each)
      const { items } = await api.call(environments.list, { projectId, includeArchived: true })
      expect(items.map(({ id, name, revision, archived }) => ({ id, name, revision, archived }))).toEqual(known)
      const live = await api.call(environments.list, { projectId })
      expect(live.items.map(({ id }) => id)).toEqual(known.filter(row => !row.archived).map(row => row.id))
    }),
    { numRuns: 60 },
  )
})
