import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { scenarioUrl } from '../../src/api/contract/scenarios.ts'
import { gateSetting } from '../../src/service/core/organization-limits.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { temporaryDirectory, until } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'
import { helper, invite, published, served, visitor } from './visits.ts'

const { userTesting } = contract

/** A scenario behind a real socket, and the access version that it reports. */
async function open(body: object = { mode: 'anyone_with_link' }) {
  const model = await scriptedModel(helper)
  const dataDir = temporaryDirectory()
  const { api, baseUrl } = await served({ dataDir, models: model.settings })
  const place = await published(api, body)
  const version = async () => {
    const { environmentId } = place
    const again = await api.call(userTesting.rebind, { ...place.target, body: { environmentId } })
    return again.accessVersion
  }
  expect(place.link.startsWith(`${new URL(baseUrl).origin}/visit/`)).toBe(true)
  return { ...place, api, version, model, dataDir, visit: visitor(fetch, place.link) }
}

const gone = (sentence: RegExp) => ({
  status: 401,
  body: { code: 'UNAUTHORIZED', message: expect.stringMatching(sentence), details: { endedBy: 'owner' } },
})

describe('a visitor session', () => {
  test('is answered with real tools, and ends when its visitor ends it', async () => {
    const { visit, scenario } = await open()
    expect(scenario).toMatchObject({ created: true, accessVersion: 1, mode: 'anyone_with_link' })
    const session = await visit.enter()
    expect(await session.state()).toMatchObject({ status: 200, body: { scenario: { name: 'Study' } } })
    const { status, body } = await session.say('add the numbers')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        items: [
          { role: 'tool', toolName: 'get-sum', isError: false },
          { role: 'assistant', text: expect.stringContaining('The sum of 2 and 3 is 5') },
        ],
      },
    })
    expect((await session.end()).status).toBe(200)
    expect(await session.state()).toMatchObject({ status: 401, body: { details: { endedBy: 'visitor' } } })
    expect((await session.say('more')).status).toBe(401)
  })

  test('ends at once on unpublish, also while the feature is off, and the link opens nothing', async () => {
    const { api, visit, environmentId, projectId, dataDir } = await open()
    const session = await visit.enter()
    expect((await session.say('hello')).status).toBe(200)
    const store = openStore({ dataDir })
    store.organizationSettings.set(store.settings.get('localOrganizationId')!, gateSetting('user-testing'), 'off')
    store.close()
    const place = { projectId, environmentId }
    expect(await api.refused(userTesting.publish, place)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect((await session.say('hello')).status).toBe(200)
    expect(await api.call(userTesting.unpublish, place)).toMatchObject({ deleted: true, environmentId })
    expect(await session.say('still there?')).toMatchObject(gone(/took this scenario offline/))
    expect(await session.state()).toMatchObject(gone(/took this scenario offline/))
    expect((await visit.redeem()).status).toBe(404)
    expect(await api.call(userTesting.unpublish, place)).toMatchObject({ deleted: false })
  })

  test('stays ended after publishing again, which gives another id, another link and a higher version', async () => {
    const { api, visit, environmentId, projectId, scenario, link } = await open()
    const session = await visit.enter()
    const place = { projectId, environmentId }
    await api.call(userTesting.unpublish, place)
    const again = await api.call(userTesting.publish, { ...place, body: { mode: 'anyone_with_link' } })
    expect(again).toMatchObject({ created: true, accessVersion: 2 })
    expect(again.id).not.toBe(scenario.id)
    expect(scenarioUrl(again.link)).not.toBe(link)
    expect((await session.state()).status).toBe(401)
    expect((await visit.redeem()).status).toBe(404)
  })

  test.each(['project_members', 'invited_only'] as const)(
    'ends at once when the mode is tightened to %s, which raises the version',
    async mode => {
      const { api, visit, target, version } = await open()
      const session = await visit.enter()
      expect((await session.say('hello')).status).toBe(200)
      await api.call(userTesting.update, { ...target, body: { mode } })
      expect(await session.say('still there?')).toMatchObject(gone(/changed who may use this scenario/))
      expect(await version()).toBe(2)
      expect(await visit.redeem()).toMatchObject({ status: 401 })
    },
  )

  test('is kept when the mode is loosened or text, caps or environment change, and the version stays', async () => {
    const { api, visit, target, version } = await open({ mode: 'project_members' })
    const session = await visit.enter({ key: api.key })
    await api.call(userTesting.update, { ...target, body: { mode: 'anyone_with_link' } })
    await api.call(userTesting.update, { ...target, body: { mode: 'anyone_with_link' } })
    await api.call(userTesting.update, { ...target, body: { name: 'Another name', description: 'Words' } })
    expect(await version()).toBe(1)
    expect(await session.say('hello')).toMatchObject({ status: 200 })
    expect(await session.state()).toMatchObject({ status: 200, body: { scenario: { name: 'Another name' } } })
  })

  test('ends at once when its member is removed, and a new invitation opens a new session', async () => {
    const { api, visit, target, version } = await open({ mode: 'invited_only' })
    const ada = await invite(api, target, 'Ada@Example.org')
    const bob = await invite(api, target, 'bob@example.org')
    expect(ada.email).toBe('ada@example.org')
    const session = await visit.enter({ invitation: ada.code })
    const other = await visit.enter({ invitation: bob.code })
    expect((await session.say('hello')).status).toBe(200)
    const removed = await api.call(userTesting.removeMember, { ...target, memberIdOrEmail: 'ADA@example.org' })
    expect(removed).toMatchObject({ removed: 'ADA@example.org' })
    expect(await session.say('still there?')).toMatchObject(gone(/took access away/))
    expect(await version()).toBe(2)
    expect(await visit.redeem({ invitation: ada.code })).toMatchObject({ status: 401 })
    // Sessions of other people were created under the older version too, but their invitations are still valid.
    expect(await other.state()).toMatchObject({ status: 401 })
    expect((await visit.redeem({ invitation: bob.code })).status).toBe(201)

    const again = await invite(api, target, 'ada@example.org')
    expect(again.code).not.toBe(ada.code)
    expect((await session.state()).status).toBe(401)
    expect(await visit.redeem({ invitation: ada.code })).toMatchObject({ status: 401 })
    const fresh = await visit.enter({ invitation: again.code })
    expect(await fresh.say('I am back')).toMatchObject({ status: 200 })
    expect((await session.say('and I?')).status).toBe(401)
    expect(await version()).toBe(2)
  })

  test('continues when the link is rotated, which stops only new entries through the old link', async () => {
    const { api, visit, target, version, link } = await open()
    const session = await visit.enter()
    const rotated = await api.call(userTesting.rotateLink, target)
    const fresh = scenarioUrl(rotated.link)!
    expect(rotated).toMatchObject({ rotated: true, id: target.scenarioId })
    expect(rotated).not.toHaveProperty('accessVersion')
    expect(fresh).not.toBe(link)
    expect((await visit.redeem()).status).toBe(404)
    expect(await session.say('still there?')).toMatchObject({ status: 200 })
    expect((await visitor(fetch, fresh).redeem()).status).toBe(201)
    expect(await version()).toBe(1)
  })

  test('stops the model when its visitor disconnects', async () => {
    const { visit, model } = await open()
    const session = await visit.enter()
    const hangUp = new AbortController()
    const cut = visitor(request => fetch(request, { signal: hangUp.signal }), visit.link).session(session.token)
    const answer = cut.say('take your time').catch(() => 'cut')
    await until(
      () => model.waiting,
      waiting => waiting === 1,
    )
    hangUp.abort()
    expect(await answer).toBe('cut')
    await until(
      () => model.waiting,
      waiting => waiting === 0,
    )
    const { status } = await until(
      () => session.say('hello'),
      said => said.status !== 409,
    )
    expect(status).toBe(200)
  })

  test.each(['unpublish', 'tighten', 'remove'] as const)('breaks off an answer in progress after %s', async how => {
    const { api, visit, target, projectId, environmentId, model } = await open({ mode: 'invited_only' })
    const { code, memberId } = await invite(api, target, 'ada@example.org')
    const session = await visit.enter({ invitation: code })
    const answer = session.say('take your time')
    await until(
      () => model.waiting,
      waiting => waiting === 1,
    )
    if (how === 'unpublish') await api.call(userTesting.unpublish, { projectId, environmentId })
    if (how === 'tighten') await api.call(userTesting.update, { ...target, body: { mode: 'project_members' } })
    if (how === 'remove') await api.call(userTesting.removeMember, { ...target, memberIdOrEmail: memberId })
    expect(await answer).toMatchObject({ status: 401, body: { details: { endedBy: 'owner' } } })
    await until(
      () => model.waiting,
      waiting => waiting === 0,
    )
  })
})
