import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { gateSetting } from '../../src/service/core/organization-limits.ts'
import { createApi, open, temporaryDirectory, type Api } from './harness.ts'
import { caps, environmentFor, invite, published, visitor } from './visits.ts'

const { clients, environments, projects, scenarios, userTesting, userTestingSessions } = contract

describe('publishing', () => {
  test('creates a link at first, and when repeated shows the existing state and what it ignored', async () => {
    const { api } = await open()
    const { projectId, environmentId } = await environmentFor(api)
    const place = { projectId, environmentId }
    const first = await api.call(userTesting.publish, { ...place, body: { name: 'Trial', description: 'Words' } })
    expect(first).toMatchObject({
      environmentId,
      name: 'Trial',
      mode: 'project_members',
      accessVersion: 1,
      created: true,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4747\/visit\/[0-9a-f]{12}[\w-]{43}$/),
    })
    const repeat = (body?: object) => api.call(userTesting.publishPut, { ...place, ...(body && { body }) })
    const again = { id: first.id, created: false, link: null, accessVersion: 1, mode: 'project_members' }
    expect(await repeat()).toMatchObject({ ...again, overridesIgnored: false })
    expect(await repeat({ name: 'Trial' })).toMatchObject({ ...again, overridesIgnored: false })
    expect(await repeat({ mode: 'anyone_with_link' })).toMatchObject({ ...again, overridesIgnored: true })
  })

  test('names the scenario after its environment, and refuses blank names and unusable environments', async () => {
    const { api } = await open()
    const { projectId, environmentId } = await environmentFor(api)
    const place = { projectId, environmentId }
    expect(await api.refused(userTesting.publish, { ...place, body: { name: ' ' } })).toMatchObject({
      status: 400,
      details: { field: 'name' },
    })
    expect(await api.refused(userTesting.publish, { ...place, body: { mode: 'nobody' } })).toMatchObject({
      status: 400,
    })
    await api.call(environments.archive, { ...place, body: { expectedRevision: 1 } })
    expect(await api.refused(userTesting.publish, place)).toMatchObject({
      status: 409,
      details: { code: 'ENV_ARCHIVED' },
    })
    await api.call(environments.restore, { ...place, body: { expectedRevision: 2 } })
    expect(await api.call(userTesting.publish, place)).toMatchObject({ name: 'Study' })
    const other = await api.call(projects.create, { body: { name: 'Other' } })
    const foreign = { projectId: other.id, environmentId }
    expect(await api.refused(userTesting.publish, foreign)).toMatchObject({ status: 404 })
    expect(await api.refused(userTesting.unpublish, foreign)).toMatchObject({ status: 404 })
  })

  test('stores only hashes of links and tokens, and no invitation', async () => {
    const dataDir = temporaryDirectory()
    const { api, close } = await open({ dataDir })
    const { link, target, scenarioId } = await published(api, { mode: 'anyone_with_link' })
    const ada = await invite(api, target, 'ada@example.org')
    const session = await visitor(api.fetch, link).enter()
    await close()
    const files = readdirSync(dataDir, { withFileTypes: true }).filter(entry => entry.isFile())
    const bytes = files.map(({ name }) => readFileSync(join(dataDir, name)).toString('latin1')).join('')
    expect(bytes).toContain(scenarioId)
    expect(bytes).toContain(ada.memberId)
    for (const secret of [link.slice(-43), session.token.slice(-43), ada.code.slice(-43)])
      expect(bytes).not.toContain(secret)
  })
})

describe('the read-only routes of scenarios', () => {
  test('show published scenarios with their parts, and no link', async () => {
    const { api } = await open()
    const config = { hostStyle: 'claude', systemPrompt: 'Be brief.', temperature: 0.2, requireToolApproval: true }
    const { projectId, serverId, clientId, scenarioId } = await published(api, {}, 'Study', config)
    const expected = {
      id: scenarioId,
      projectId,
      name: 'Study',
      mode: 'project_members',
      hostStyle: 'claude',
      hostId: clientId,
      hostName: 'Study client',
      serverCount: 1,
      serverNames: ['everything'],
      link: null,
    }
    expect(await api.call(scenarios.list, { projectId })).toMatchObject({ items: [expected] })
    expect(await api.call(scenarios.get, { projectId, scenarioId })).toMatchObject({
      ...expected,
      modelId: 'small',
      systemPrompt: 'Be brief.',
      temperature: 0.2,
      requireToolApproval: true,
      servers: [{ id: serverId, name: 'everything' }],
    })
    await api.call(clients.delete, { projectId, clientId, body: { force: true } })
    expect(await api.call(scenarios.get, { projectId, scenarioId })).toMatchObject({
      hostId: null,
      serverCount: 0,
      modelId: null,
    })
  })
})

describe('changes of a scenario', () => {
  test('refuse text and mode in one request, and answer without versions and members', async () => {
    const { api } = await open()
    const { target, scenarioId, projectId } = await published(api)
    const edit = (body: object) => api.call(userTesting.update, { ...target, body })
    expect(await edit({ name: 'New', description: 'Text' })).toEqual({
      id: scenarioId,
      projectId,
      name: 'New',
      description: 'Text',
      mode: 'project_members',
    })
    expect(await edit({ description: '' })).toMatchObject({ name: 'New', description: null })
    for (const body of [{}, { name: 'x', mode: 'invited_only' }, { name: '  ' }, { accessVersion: 3 }])
      expect(await api.refused(userTesting.update, { ...target, body })).toMatchObject({ status: 400 })
    expect(await api.call(userTesting.get, target)).toMatchObject({ name: 'New', mode: 'project_members' })
  })

  test('of the environment keep link and version, and need an environment that is free and known', async () => {
    const { api } = await open()
    const { target, projectId, scenario, link } = await published(api, { mode: 'anyone_with_link' })
    const second = await environmentFor(api, 'Second')
    const rebind = { ...target, body: { environmentId: second.environmentId } }
    expect(await api.call(userTesting.rebind, rebind)).toMatchObject({
      id: scenario.id,
      environmentId: second.environmentId,
      accessVersion: 1,
    })
    expect((await visitor(api.fetch, link).redeem()).status).toBe(201)
    // The first environment is free again, and the scenario cannot return to it once another one is there.
    const first = await api.call(userTesting.publish, { projectId, environmentId: scenario.environmentId })
    expect(first).toMatchObject({ created: true })
    const back = { ...target, body: { environmentId: scenario.environmentId } }
    expect(await api.refused(userTesting.rebind, back)).toMatchObject({
      status: 409,
      details: { scenarioId: first.id },
    })
    const unknown = { ...target, body: { environmentId: 'env_none' } }
    expect(await api.refused(userTesting.rebind, unknown)).toMatchObject({ status: 404 })
  })

  test('invite a member once, find the address in any spelling, and remove by id or address', async () => {
    const { api } = await open()
    const { target } = await published(api, { mode: 'invited_only' })
    const first = await invite(api, target, ' Ada@Example.org ')
    expect(await invite(api, target, 'ada@example.ORG')).toEqual(first)
    const other = await invite(api, target, 'bob@example.org')
    const remove = (memberIdOrEmail: string) => api.send(userTesting.removeMember, { ...target, memberIdOrEmail })
    expect((await remove(other.memberId)).status).toBe(200)
    expect((await remove('ADA@example.org')).status).toBe(200)
    expect((await remove('ada@example.org')).status).toBe(404)
    expect(await api.refused(userTesting.upsertMember, { ...target, body: { email: 'nobody' } })).toMatchObject({
      status: 400,
      details: { field: 'email' },
    })
    const mailed = { ...target, body: { email: 'ada@example.org', sendInviteEmail: true } }
    expect(await api.refused(userTesting.upsertMember, mailed)).toMatchObject({
      status: 422,
      code: 'FEATURE_NOT_SUPPORTED',
    })
  })

  test('replace all caps together, and refuse to switch on features that do not exist here', async () => {
    const { api } = await open()
    const { target } = await published(api)
    const set = (body: object) => api.send(userTesting.setGuestExecution, { ...target, body })
    const sent = { ...caps, harnessEnabled: false, dailyHarnessCallCap: 3 }
    expect(await (await set(sent)).json()).toEqual(sent)
    expect(await (await set(caps)).json()).toEqual(caps)
    for (const field of ['computerEnabled', 'sharedSkillsEnabled', 'harnessEnabled']) {
      const refused = await set({ ...caps, [field]: true })
      expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'FEATURE_NOT_SUPPORTED' }])
    }
    expect((await set({ enabled: true })).status).toBe(400)
  })
})

test('each operation on scenarios needs its role, and a closed gate leaves only unpublish', async () => {
  const { api, store } = await open()
  const { target, projectId, environmentId } = await published(api)
  const place = { projectId, environmentId }
  const as = (role: 'guest' | 'member' | 'editor') =>
    createApi(api.fetch, makeKey(store, role, { grants: { [projectId]: role } }).key)
  const calls = {
    publish: [userTesting.publish, place],
    unpublish: [userTesting.unpublish, place],
    caps: [userTesting.setGuestExecution, { ...target, body: caps }],
    update: [userTesting.update, { ...target, body: { name: 'x' } }],
    rebind: [userTesting.rebind, { ...target, body: { environmentId } }],
    rotate: [userTesting.rotateLink, target],
    invite: [userTesting.upsertMember, { ...target, body: { email: 'a@b' } }],
    remove: [userTesting.removeMember, { ...target, memberIdOrEmail: 'a@b' }],
    get: [userTesting.get, target],
    sessions: [userTestingSessions.list, target],
    scenario: [scenarios.get, target],
  } as const
  const answers = async (caller: Api) => {
    const entries = []
    for (const [name, [endpoint, input]] of Object.entries(calls))
      entries.push([name, (await caller.send(endpoint, input)).status])
    return Object.fromEntries(entries) as Record<keyof typeof calls, number>
  }
  const reads = { get: 200, sessions: 200, scenario: 200 }
  const asEditor = { update: 200, rebind: 200, rotate: 200, invite: 200, remove: 200 }
  const asAdmin = { publish: 403, unpublish: 403, caps: 403 }
  const none = (statuses: object) => Object.fromEntries(Object.keys(statuses).map(name => [name, 403]))
  expect(await answers(as('guest'))).toEqual(none(calls))
  expect(await answers(as('member'))).toEqual({ ...asAdmin, ...none(asEditor), ...reads })
  expect(await answers(as('editor'))).toEqual({ ...asAdmin, ...asEditor, ...reads })
  store.organizationSettings.set(store.settings.get('localOrganizationId')!, gateSetting('user-testing'), 'off')
  expect(await answers(api)).toEqual({
    ...asAdmin,
    ...none(asEditor),
    unpublish: 200,
    get: 403,
    sessions: 200,
    scenario: 404,
  })
  expect(await api.call(userTestingSessions.list, target)).toEqual({ items: [] })
})
