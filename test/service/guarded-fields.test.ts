import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { GUARDED_FIELDS } from '../../src/service/workspace/handlers.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { PROJECT_ROLES, type ProjectRole } from '../../src/api/contract/endpoint.ts'
import { createApi, echoCase, open, sandbox, type Api } from './harness.ts'
import { caps, published } from './visits.ts'

const { clients, environments, hosts, projects, servers, suites, userTesting } = contract

type Declared = Parameters<Api['send']>[0]
type Read = [Declared, Record<string, unknown>]
type Attempt = {
  endpoint: Declared
  input: Record<string, unknown>
  /** The record that a refused write must not change. */
  read?: Read
  /** The status for callers with the role, if it is not a success. */
  answers?: number
}
type Stage = { admin: Api; projectId: string; serverId: string; fresh: (what: string) => string }

const model = { modelId: 'some/model' }

async function client({ admin, projectId, serverId, fresh }: Stage, config: object = { serverIds: [serverId] }) {
  const body = { name: fresh('client'), config: { ...model, ...config } }
  const { id, configId } = await admin.call(clients.create, { projectId, body })
  return { clientId: id, expectedConfigId: configId, read: [clients.get, { projectId, clientId: id }] as Read }
}

/** Changes of a client's config from one value to another, by either path. */
const edits = (from: object, to: object): Record<string, (stage: Stage) => Promise<Attempt>> => ({
  'PATCH clients': async stage => {
    const { clientId, expectedConfigId, read } = await client(stage, from)
    const body = { config: { ...model, ...to }, expectedConfigId }
    return { endpoint: clients.update, input: { projectId: stage.projectId, clientId, body }, read }
  },
  'PATCH hosts': async stage => {
    const { clientId, read } = await client(stage, from)
    const body = { config: { ...model, ...to } }
    return { endpoint: hosts.update, input: { projectId: stage.projectId, hostId: clientId, body }, read }
  },
})

const scenario =
  (from: (stage: Stage, scenario: Awaited<ReturnType<typeof published>>) => Promise<Attempt>) => async (stage: Stage) =>
    from(stage, await published(stage.admin, {}, stage.fresh('Study')))

const environment = async (stage: Stage) => {
  const { projectId, fresh, admin } = stage
  const { clientId } = await client(stage)
  const body = { name: fresh('environment'), hostId: clientId }
  const { id, revision } = await admin.call(environments.create, { projectId, body })
  const named = { projectId, environmentId: id }
  return { named, revision, clientId, read: [environments.get, named] as Read }
}

/** Each field that requires a stronger role: the role, and each path that can write the field. */
const FIELDS: Record<string, { needs: ProjectRole; paths: Record<string, (stage: Stage) => Promise<Attempt>> }> = {
  'the servers of a client, replaced': {
    needs: 'admin',
    paths: {
      ...edits({ serverIds: ['srv_a'] }, { serverIds: ['srv_b'] }),
      'POST hosts/…/servers': async stage => {
        const { clientId, read } = await client(stage)
        const input = { projectId: stage.projectId, hostId: clientId, body: { serverIds: [] } }
        return { endpoint: hosts.setServers, input, read }
      },
    },
  },
  'the servers of a client, added': { needs: 'admin', paths: edits({}, { serverIds: ['srv_a'] }) },
  'the servers of a client, left out': { needs: 'admin', paths: edits({ serverIds: ['srv_a'] }, {}) },
  'the optional servers of a client': {
    needs: 'admin',
    paths: edits({ serverIds: ['srv_a'] }, { serverIds: ['srv_a'], optionalServerIds: ['srv_b'] }),
  },
  'the servers of a new client': {
    needs: 'admin',
    paths: {
      ...Object.fromEntries(
        [clients.create, hosts.create].map(endpoint => [
          endpoint.operation,
          async ({ projectId, serverId, fresh }: Stage) => {
            const body = { name: fresh('new'), config: { ...model, serverIds: [serverId] } }
            return { endpoint, input: { projectId, body } }
          },
        ]),
      ),
      'POST clients/…/duplicate': async stage => {
        const { clientId } = await client(stage)
        return { endpoint: clients.duplicate, input: { projectId: stage.projectId, clientId } }
      },
      'POST hosts/…/duplicate': async stage => {
        const { clientId } = await client(stage)
        return { endpoint: hosts.duplicate, input: { projectId: stage.projectId, hostId: clientId } }
      },
    },
  },
  'anything else of a client': {
    needs: 'member',
    paths: edits({ serverIds: ['srv_a'] }, { serverIds: ['srv_a'], systemPrompt: 'Be brief.' }),
  },
  'a named environment': {
    needs: 'admin',
    paths: {
      'POST environments': async stage => {
        const { clientId } = await client(stage)
        const body = { name: stage.fresh('environment'), hostId: clientId }
        return { endpoint: environments.create, input: { projectId: stage.projectId, body } }
      },
      'PATCH environments': async stage => {
        const { named, revision, read } = await environment(stage)
        const body = { expectedRevision: revision, description: 'other' }
        return { endpoint: environments.update, input: { ...named, body }, read }
      },
      'POST environments/…/archive': async stage => {
        const { named, revision, read } = await environment(stage)
        return { endpoint: environments.archive, input: { ...named, body: { expectedRevision: revision } }, read }
      },
      'POST environments/…/restore': async stage => {
        const { named, revision, read } = await environment(stage)
        const { revision: archived } = await stage.admin.call(environments.archive, {
          ...named,
          body: { expectedRevision: revision },
        })
        const body = { expectedRevision: archived }
        return { endpoint: environments.restore, input: { ...named, body }, read }
      },
      'POST environments/…/name': async stage => {
        const { projectId, admin, fresh } = stage
        const { clientId } = await client(stage)
        const made = await admin.call(environments.ensureAdhoc, { projectId, body: { hostId: clientId } })
        const named = { projectId, environmentId: made.environment.id }
        const body = { expectedRevision: made.environment.revision, name: fresh('named') }
        return { endpoint: environments.name, input: { ...named, body }, read: [environments.get, named] }
      },
    },
  },
  'a nameless environment': {
    needs: 'member',
    paths: {
      'POST environments/ensure-adhoc': async stage => {
        const { clientId } = await client(stage)
        const input = { projectId: stage.projectId, body: { hostId: clientId } }
        return { endpoint: environments.ensureAdhoc, input }
      },
    },
  },
  'the plugin versions of a nameless environment': {
    needs: 'admin',
    paths: {
      'POST environments/ensure-adhoc': async stage => {
        const { clientId } = await client(stage)
        const body = { hostId: clientId, pluginVersionIds: ['none'] }
        const input = { projectId: stage.projectId, body }
        return { endpoint: environments.ensureAdhoc, input, answers: 404 }
      },
    },
  },
  'what is published': {
    needs: 'admin',
    paths: {
      ...Object.fromEntries(
        [userTesting.publish, userTesting.publishPut].map(endpoint => [
          endpoint.operation + endpoint.method,
          async (stage: Stage) => ({ endpoint, input: (await environment(stage)).named }),
        ]),
      ),
      'DELETE environments/…/scenario': scenario(async (_stage, { projectId, environmentId, target }) => ({
        endpoint: userTesting.unpublish,
        input: { projectId, environmentId },
        read: [userTesting.get, target],
      })),
      'POST scenarios/…/rebind': scenario(async (stage, { target }) => {
        const { environmentId } = (await environment(stage)).named
        const read: Read = [userTesting.get, target]
        return { endpoint: userTesting.rebind, input: { ...target, body: { environmentId } }, read }
      }),
    },
  },
  'what strangers may spend': {
    needs: 'admin',
    paths: {
      'PUT scenarios/…/guest-execution': scenario(async (_stage, { target }) => ({
        endpoint: userTesting.setGuestExecution,
        input: { ...target, body: caps },
      })),
    },
  },
  'a suite of someone else': {
    needs: 'admin',
    paths: {
      'DELETE eval-suites': async ({ admin, projectId, serverId, fresh }) => {
        const body = { name: fresh('suite'), model: 'small', serverIds: [serverId], tests: [echoCase('one', 'x')] }
        const { suiteId } = await admin.call(suites.create, { projectId, body })
        const named = { projectId, suiteId }
        return { endpoint: suites.delete, input: named, read: [suites.get, named] }
      },
    },
  },
  'a project, its visibility too': {
    needs: 'admin',
    paths: {
      'PATCH projects': async ({ projectId }) => ({
        endpoint: projects.update,
        input: { projectId, body: { visibility: 'public' } },
      }),
    },
  },
  'a saved server': {
    needs: 'editor',
    paths: {
      'POST servers': async ({ projectId, fresh }) => ({
        endpoint: servers.create,
        input: { projectId, body: { name: fresh('s'), enabled: true, transportType: 'stdio', command: 'x' } },
      }),
      'PATCH servers': async ({ admin, projectId, fresh }) => {
        const body = { name: fresh('s'), enabled: true, transportType: 'stdio', command: 'x' }
        const { id: serverId } = await admin.call(servers.create, { projectId, body })
        const named = { projectId, serverId }
        return { endpoint: servers.update, input: { ...named, body: { enabled: false } }, read: [servers.get, named] }
      },
      'POST server-connections': async ({ projectId }) => ({
        endpoint: contract.connections.create,
        input: { body: { url: 'http://127.0.0.1:9/mcp', projectId } },
      }),
    },
  },
}

const rank = (role: ProjectRole) => PROJECT_ROLES.indexOf(role)

test.each(
  Object.entries(FIELDS).flatMap(([field, { needs, paths }]) =>
    Object.entries(paths).map(([path, prepare]) => [field, path, needs, prepare] as const),
  ),
)('writing %s by %s needs the role %s', async (_field, _path, needs, prepare) => {
  const { api: admin, store } = await open()
  const { projectId, serverId } = await sandbox(admin)
  let count = 0
  const fresh = (what: string) => `${what} ${(count += 1)}`
  for (const role of PROJECT_ROLES) {
    const { key } = makeKey(store, role, { grants: { [projectId]: role } })
    const api = createApi(admin.fetch, key)
    const { endpoint, input, read, answers } = await prepare({ admin, projectId, serverId, fresh })
    const before = read && (await admin.call(...read))
    const response = await api.send(endpoint, input)
    const body: unknown = await response.json()
    if (rank(role) >= rank(needs)) {
      expect({ role, status: response.status, body }).toMatchObject({ status: answers ?? endpoint.status ?? 200 })
      continue
    }
    expect({ role, status: response.status, body }).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(read && (await admin.call(...read))).toEqual(before)
  }
})

test('the test above tries every operation of the list', async () => {
  const { api: admin } = await open()
  const { projectId, serverId } = await sandbox(admin)
  let count = 0
  const fresh = (what: string) => `${what} ${(count += 1)}`
  const tried = new Set<string>()
  for (const { paths } of Object.values(FIELDS))
    for (const prepare of Object.values(paths)) {
      const { resource, name } = (await prepare({ admin, projectId, serverId, fresh })).endpoint as {
        resource?: string
        name?: string
      }
      tried.add(`${resource}.${name}`)
    }
  const listed = GUARDED_FIELDS.flatMap(({ writtenBy }) =>
    Object.entries(writtenBy).flatMap(([resource, operations]) =>
      Object.keys(operations).map(name => `${resource}.${name}`),
    ),
  )
  expect([...tried]).toEqual(expect.arrayContaining(listed))
})
