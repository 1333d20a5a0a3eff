import { describe, expect, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { pathParameters } from '../../src/api/contract/endpoint.ts'
import { listKeys, makeKey, revokeKey } from '../../src/service/core/access.ts'
import { createApi, echoCase, open, sandbox, temporaryDirectory } from './harness.ts'

const { account, projects, servers, suites, runs } = contract

describe('API keys', () => {
  test('are required for every operation', async () => {
    const { api } = await open()
    for (const endpoint of allEndpoints())
      for (const key of ['', 'sk_', 'sk_wrong', `${api.key}x`, api.key.slice(0, -1)]) {
        const named = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, 'x']))
        expect(await api.refused(endpoint, named, { key })).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
      }
  })

  test('count only with the Bearer scheme, in any spelling', async () => {
    const { api } = await open()
    const me = (authorization: string) => api.send(account.me, {}, { headers: { authorization } })
    expect((await me(`bearer ${api.key}`)).status).toBe(200)
    expect((await me(`Basic ${api.key}`)).status).toBe(401)
    expect((await me(api.key)).status).toBe(401)
  })

  test('stop working at once when revoked, and a key without an owner is named as such', async () => {
    const { api, store } = await open()
    const { key, summary } = makeKey(store, 'ci', { role: 'member' })
    const own = createApi(api.fetch, key)
    expect(await own.call(account.organizations)).toMatchObject({ items: [{ myRole: 'member' }] })
    expect(revokeKey(store, summary.id)).toBe(true)
    expect(revokeKey(store, summary.id)).toBe(false)
    expect(await own.refused(account.me)).toMatchObject({ status: 401 })
    expect(JSON.stringify(listKeys(store))).not.toContain(key.slice(20))
    store.write(() => store.organizations.delete(store.settings.get('localOrganizationId')!))
    expect(await api.refused(account.me)).toMatchObject({ status: 401, details: { reason: 'ORPHANED_KEY' } })
  })

  test('that another process revokes are refused at once, and lose rights that it removes', async () => {
    const dataDir = temporaryDirectory()
    const [{ api, store }, other] = [await open({ dataDir }), await open({ dataDir })]
    const { projectId } = await sandbox(api)
    const [{ key, summary }, granted] = [
      makeKey(store, 'ci', { role: 'member' }),
      makeKey(store, 'one', { grants: { [projectId]: 'editor' } }),
    ]
    const [own, one] = [createApi(api.fetch, key), createApi(api.fetch, granted.key)]
    for (let i = 0; i < 3; i += 1) await own.call(account.me)
    expect(await one.call(projects.capabilities, { projectId })).toMatchObject({ projectRole: 'editor' })
    other.store.write(() => other.store.keys.grant(granted.summary.id, projectId, 'member'))
    expect(await one.call(projects.capabilities, { projectId })).toMatchObject({ projectRole: 'member' })
    expect(revokeKey(other.store, summary.id)).toBe(true)
    expect(await own.refused(account.me)).toMatchObject({ status: 401 })
  })

  test('are not in the database', async () => {
    const { api, store } = await open()
    const rows = JSON.stringify(
      store.keys.list().map(row => ({ ...row, hash: Buffer.from(row.hash).toString('latin1') })),
    )
    expect(rows).not.toContain(api.key.slice(20))
  })
})

describe('roles', () => {
  test('permit operations of their level and none above it', async () => {
    const { api, store } = await open()
    const { projectId, suiteId } = await sandbox(api)
    const as = (role: 'guest' | 'member' | 'editor' | 'admin') =>
      createApi(api.fetch, makeKey(store, role, { grants: { [projectId]: role } }).key)
    const server = { name: 'x', enabled: true, transportType: 'stdio', command: 'x' }
    const [guest, member, editor, admin] = [as('guest'), as('member'), as('editor'), as('admin')]

    expect(await guest.refused(suites.list, { projectId })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await member.call(projects.capabilities, { projectId })).toMatchObject({
      projectRole: 'member',
      can: { launchEvalRun: true, deleteAnyEvalSuite: false },
    })
    expect((await guest.call(projects.list)).items).toEqual([])
    expect(await member.call(suites.list, { projectId })).toMatchObject({ items: [{ id: suiteId }] })
    expect(await member.refused(servers.create, { projectId, body: server })).toMatchObject({ status: 403 })
    expect(await member.refused(projects.create, { body: { name: 'new' } })).toMatchObject({ status: 403 })
    expect(await editor.call(servers.create, { projectId, body: server })).toMatchObject({ name: 'x' })
    expect(await editor.refused(projects.update, { projectId, body: { name: 'y' } })).toMatchObject({ status: 403 })
    expect(await editor.refused(suites.delete, { projectId, suiteId })).toMatchObject({ status: 403 })
    expect(await admin.call(projects.update, { projectId, body: { name: 'y' } })).toMatchObject({ name: 'y' })
    expect(await admin.call(suites.delete, { projectId, suiteId })).toMatchObject({ deleted: true })
  })

  test('let the creator of a suite delete it without being admin', async () => {
    const { api, store } = await open()
    const { projectId, serverId } = await sandbox(api)
    const member = createApi(api.fetch, makeKey(store, 'm', { grants: { [projectId]: 'member' } }).key)
    const body = { name: 'mine', model: 'none', serverIds: [serverId], tests: [echoCase('a', 'b')] }
    const { suiteId } = await member.call(suites.create, { projectId, body })
    expect(await member.call(suites.delete, { projectId, suiteId })).toMatchObject({ deleted: true })
  })

  test('items of another project are not found, whatever id is given', async () => {
    const { api, store } = await open()
    const { projectId, suiteId, serverId } = await sandbox(api)
    const other = await api.call(projects.create, { body: { name: 'Other' } })
    const stranger = createApi(api.fetch, makeKey(store, 's', { grants: { [other.id]: 'admin' } }).key)
    expect(await stranger.call(projects.list)).toMatchObject({ items: [{ id: other.id, role: 'admin' }] })
    expect(await stranger.refused(projects.delete, { projectId })).toMatchObject({ status: 404 })
    expect(await stranger.refused(suites.list, { projectId })).toMatchObject({ status: 404 })
    for (const [endpoint, input] of [
      [suites.get, { suiteId }],
      [runs.list, { suiteId }],
      [servers.get, { serverId }],
      [servers.doctor, { serverId }],
    ] as const)
      expect(await api.refused(endpoint, { projectId: other.id, ...input })).toMatchObject({ status: 404 })
  })

  test('are required only by operations that name a project, and always at least membership', () => {
    const asking = allEndpoints().flatMap(({ path, role }) => (role === undefined ? [] : [{ path, role }]))
    expect(asking).not.toEqual([])
    expect(
      asking.filter(({ path, role }) => !path.includes('{projectId}') || !['editor', 'admin'].includes(role)),
    ).toEqual([])
  })
})

test('an unknown path, a wrong method, OPTIONS and HEAD get proper answers', async () => {
  const { api } = await open()
  const ask = (method: string, path: string) =>
    api.fetch(new Request(`http://x/api/v1${path}`, { method, headers: { authorization: `Bearer ${api.key}` } }))
  const unknown = await ask('GET', '/nothing')
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ code: 'NOT_FOUND' })
  expect((await ask('PUT', '/projects')).headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  const options = await ask('OPTIONS', '/projects')
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  const [head, get] = [await ask('HEAD', '/me'), await ask('GET', '/me')]
  expect(head.status).toBe(200)
  expect(await head.text()).toBe('')
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  for (const response of [unknown, options, head, get])
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  expect((await ask('GET', `/projects/${encodeURIComponent('a/b')}/servers`)).status).toBe(404)
  expect((await ask('GET', '/projects/%zz/servers')).status).toBe(404)
})
