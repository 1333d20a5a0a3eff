import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey, revokeKey } from '../../src/service/core/access.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { open, temporaryDirectory, until } from './harness.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'
import { caps, helper, invite, published, visitor } from './visits.ts'

const { clients, sessions, userTesting, userTestingSessions } = contract

const NOON = Date.UTC(2026, 10, 20, 12)
const HOUR = 60 * 60 * 1000

/** A published scenario in this process, with a clock that the test moves. */
async function study(
  body: object = { mode: 'anyone_with_link' },
  {
    script = helper,
    config = {},
    model = true,
  }: { script?: (asked: Asked) => Answer; config?: object; model?: boolean } = {},
) {
  const scripted = await scriptedModel(script)
  const clock = { now: NOON }
  const log: LogEntry[] = []
  const service = await open({
    now: () => clock.now,
    log: entry => void log.push(entry),
    ...(model && { models: scripted.settings }),
  })
  const place = await published(service.api, body, 'Study', config)
  const visit = visitor(service.api.fetch, place.link)
  const transcript = async () => {
    const [session] = (await service.api.call(userTestingSessions.list, place.target)).items
    return service.api.call(userTestingSessions.get, { ...place.target, sessionId: session!.id })
  }
  return { ...service, ...place, visit, clock, log, model: scripted, transcript }
}

describe('a conversation', () => {
  test('remembers earlier messages, and its owner reads it without payloads', async () => {
    const { api, visit, target, scenarioId, model, projectId } = await study()
    const headers = { 'user-agent': 'Mozilla/5.0 (iPhone) Mobile', 'accept-language': 'de-CH,de;q=0.9' }
    const session = await visit.enter({ headers })
    await session.say('hello')
    await session.say('add the numbers')
    expect(model.asked.at(-1)).toMatchObject({ model: 'small', prompts: ['hello', 'add the numbers'] })
    expect(await session.messages()).toMatchObject({
      body: {
        items: [
          { role: 'user', text: 'hello' },
          { role: 'assistant', text: 'You said: hello' },
          { role: 'user', text: 'add the numbers' },
          { role: 'tool', toolName: 'get-sum', isError: false },
          { role: 'assistant', text: expect.stringContaining('is 5') },
        ],
      },
    })
    expect((await session.rate({ rating: 4, comment: 'quick' })).status).toBe(200)
    expect((await session.rate({ rating: 5 })).status).toBe(200)
    const { items } = await api.call(userTestingSessions.list, target)
    expect(items).toMatchObject([
      {
        messageCount: 5,
        toolCallCount: 1,
        preview: 'hello',
        modelId: 'small',
        authInterrupted: false,
        visitor: { authType: 'guest', deviceKind: 'mobile', language: 'de-CH' },
        feedback: { rating: 5, comment: 'quick', count: 2 },
        startedAt: NOON,
      },
    ])
    const sessionId = items[0]!.id
    const read = await api.call(userTestingSessions.get, { ...target, sessionId })
    expect(read).toMatchObject({ id: sessionId, scenarioId, messageCount: 5, modelId: 'small' })
    expect(read.messages?.[3]).toEqual({
      role: 'tool',
      text: 'The tool answered.',
      toolName: 'get-sum',
      createdAt: NOON,
    })
    expect(read.nextCursor).toBeUndefined()
    const unknown = { ...target, sessionId: 'ses_none' }
    expect(await api.refused(userTestingSessions.get, unknown)).toMatchObject({ status: 404 })
    const feed = await api.call(sessions.list, { projectId, sourceType: 'scenario' })
    expect(feed.items).toMatchObject([
      { id: sessionId, sourceType: 'scenario', parentRef: { kind: 'scenario', scenarioId }, messageCount: 5 },
    ])
  })

  test('lists sessions and transcripts in pages, newest session first, and refuses foreign cursors', async () => {
    const { api, visit, target, clock } = await study()
    const session = await visit.enter()
    for (let i = 0; i < 51; i += 1) {
      clock.now += 10_000
      expect((await session.say(`message ${i}`)).status).toBe(200)
      if (i > 0) await visit.enter()
    }
    const first = await api.call(userTestingSessions.list, target)
    expect(first.items).toHaveLength(50)
    const cursor = first.nextCursor!
    const second = await api.call(userTestingSessions.list, { ...target, cursor })
    expect(second.items).toHaveLength(1)
    expect(second.nextCursor).toBeUndefined()
    const sessionId = second.items[0]!.id
    const pages = await api.call(userTestingSessions.get, { ...target, sessionId })
    expect(pages.messages).toHaveLength(100)
    const rest = await api.call(userTestingSessions.get, { ...target, sessionId, cursor: pages.nextCursor! })
    expect(rest.messages?.map(({ text }) => text)).toEqual(['message 50', 'You said: message 50'])
    expect(pages.messageCount).toBe(102)
    const forged = { ...target, sessionId, cursor }
    expect(await api.refused(userTestingSessions.get, forged)).toMatchObject({ status: 400 })
  })

  test('gives one answer at a time, and an answer left by a dead process blocks nothing', async () => {
    const { visit, model, store } = await study()
    const session = await visit.enter()
    const answer = session.say('take your time')
    await until(
      () => model.waiting,
      waiting => waiting === 1,
    )
    expect(await session.say('and now?')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    await session.end()
    expect(await answer).toMatchObject({ status: 401, body: { details: { endedBy: 'visitor' } } })

    const other = await visit.enter()
    const { id } = (await other.state()).body['session'] as { id: string }
    const dead = { token: 'gone', host: hostname(), pid: 2 ** 22 + 1, expiresAt: Date.now() + HOUR }
    store.write(() => store.visitorSessions.setLease(id, dead))
    expect(await other.say('hello')).toMatchObject({ status: 200 })
  })

  test('stores no answer of a session that another process has taken over', async () => {
    let takeOver = () => undefined as unknown
    const script = (asked: Asked) => {
      if (asked.prompts.at(-1) === 'slow') takeOver()
      return helper(asked)
    }
    const { visit, store } = await study(undefined, { script })
    const session = await visit.enter()
    await session.say('hello')
    const { id } = (await session.state()).body['session'] as { id: string }
    const lease = { token: 'theirs', host: 'elsewhere', pid: 1, expiresAt: Date.now() + HOUR }
    takeOver = () => store.write(() => store.visitorSessions.setLease(id, lease))
    expect(await session.say('slow')).toMatchObject({ body: { code: 'SERVER_UNREACHABLE' } })
    expect(store.visitorSessions.lease(id)).toEqual(lease)
    expect(store.visitorSessions.messages.all(id).map(({ text }) => text)).toEqual(['hello', 'You said: hello', 'slow'])
  })

  test('stops the model when the visitor hangs up, who may ask again', async () => {
    const { visit, model, api, transcript } = await study()
    const session = await visit.enter()
    const hangUp = new AbortController()
    const request = new Request(`${visit.origin}/visit/session/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'take your time' }),
      signal: hangUp.signal,
    })
    const answer = api.fetch(request)
    await until(
      () => model.waiting,
      waiting => waiting === 1,
    )
    hangUp.abort()
    await answer
    await until(
      () => model.waiting,
      waiting => waiting === 0,
    )
    expect(await session.say('hello')).toMatchObject({ status: 200 })
    expect(model.asked.at(-1)?.prompts).toEqual(['hello'])
    expect((await transcript()).messages).toMatchObject([
      { role: 'user', text: 'take your time' },
      { role: 'system', text: 'The visitor disconnected before the answer.' },
      { role: 'user' },
      { role: 'assistant' },
    ])
  })

  test('ends in the process that writes an answer when another process closes the scenario', async () => {
    const model = await scriptedModel(helper)
    const dataDir = temporaryDirectory()
    const writing = await open({ dataDir, models: model.settings })
    const closing = await open({ dataDir })
    const { projectId, environmentId, link } = await published(closing.api, { mode: 'anyone_with_link' })
    const session = await visitor(writing.api.fetch, link).enter()
    const answer = session.say('take your time')
    await until(
      () => model.waiting,
      waiting => waiting === 1,
    )
    await closing.api.call(userTesting.unpublish, { projectId, environmentId })
    expect(await answer).toMatchObject({ status: 401, body: { details: { endedBy: 'owner' } } })
  })

  test('continues in the same session with the new environment after the scenario is rebound', async () => {
    const { api, visit, target, projectId, model } = await study()
    const session = await visit.enter()
    await session.say('hello')
    const other = await published(api, {}, 'Other', { modelId: 'large' })
    await api.call(userTesting.unpublish, { projectId, environmentId: other.environmentId })
    await api.call(userTesting.rebind, { ...target, body: { environmentId: other.environmentId } })
    expect(await session.say('and you?')).toMatchObject({ status: 200 })
    expect(model.asked.at(-1)).toMatchObject({ model: 'large', prompts: ['hello', 'and you?'] })
  })

  test('ends after a day of silence', async () => {
    const { visit, clock } = await study()
    const session = await visit.enter()
    clock.now += 24 * HOUR - 1
    expect((await session.state()).status).toBe(200)
    clock.now += 1
    expect(await session.state()).toMatchObject({ status: 401, body: { details: { endedBy: 'time' } } })
  })
})

describe('the entry of visitors', () => {
  test('admits members of the project with a key, for as long as the key is valid', async () => {
    const { api, store, visit, target, projectId } = await study({ mode: 'project_members' })
    expect(await visit.describe()).toMatchObject({ body: { mode: 'project_members', needs: 'key' } })
    expect(await visit.redeem()).toMatchObject({ status: 401, body: { details: { needs: 'key' } } })
    expect(await visit.redeem({ key: 'sk_wrong' })).toMatchObject({ status: 401 })
    const { code } = await invite(api, target, 'ada@example.org')
    expect(await visit.redeem({ invitation: code })).toMatchObject({ status: 401 })
    const guest = makeKey(store, 'guest', { grants: { [projectId]: 'guest' } })
    const nobody = makeKey(store, 'nobody', {})
    for (const { key } of [guest, nobody]) expect(await visit.redeem({ key })).toMatchObject({ status: 403 })
    const member = makeKey(store, 'Ada’s key', { grants: { [projectId]: 'member' } })
    const session = await visit.enter({ key: member.key })
    // Members use their own permission, whatever the caps for guests are.
    await api.call(userTesting.setGuestExecution, { ...target, body: { ...caps, enabled: false } })
    expect((await session.say('hello')).status).toBe(200)
    await visit.enter({ key: member.key })
    expect((await api.call(userTestingSessions.list, target)).items).toMatchObject([
      { visitor: { authType: 'signedIn', displayName: 'Ada’s key', recency: 'returning' } },
      { visitor: { authType: 'signedIn', displayName: 'Ada’s key', recency: 'new' } },
    ])
    revokeKey(store, member.summary.id)
    expect(await session.say('still there?')).toMatchObject({ status: 401, body: { details: { endedBy: 'owner' } } })
  })

  test('admits invited people with their own invitation only', async () => {
    const { api, visit, target, link } = await study({ mode: 'invited_only' })
    expect(await visit.redeem()).toMatchObject({ status: 401, body: { details: { needs: 'invitation' } } })
    expect(await visit.redeem({ key: api.key })).toMatchObject({ status: 401 })
    const ada = await invite(api, target, 'ada@example.org')
    const other = await published(api, { mode: 'invited_only' }, 'Other')
    const foreign = await invite(api, other.target, 'ada@example.org')
    for (const invitation of [foreign.code, ada.memberId, `${ada.code}x`, `${ada.memberId}.`, ''])
      expect(await visit.redeem({ invitation })).toMatchObject({ status: 401 })
    expect((await visit.redeem({ invitation: ada.code })).status).toBe(201)
    expect(await visitor(api.fetch, `${link}x`).redeem({ invitation: ada.code })).toMatchObject({ status: 404 })
  })

  test('gives strangers answers if an admin allowed it, at most as many a day as the cap says', async () => {
    const { api, visit, target, clock } = await study()
    const session = await visit.enter()
    await api.call(userTesting.setGuestExecution, { ...target, body: { ...caps, enabled: false } })
    expect(await session.say('hello')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    await api.call(userTesting.setGuestExecution, { ...target, body: { ...caps, dailyCreditCap: 2 } })
    expect((await session.say('one')).status).toBe(200)
    const other = await visit.enter()
    expect((await other.say('two')).status).toBe(200)
    const refused = await other.say('three')
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(refused.headers.get('retry-after')).toBe(String(12 * 60 * 60))
    clock.now += 12 * HOUR
    expect((await other.say('a new day')).status).toBe(200)
  })
})

describe('a failure to answer', () => {
  test.each([
    ['without a model', { model: false }, 422, /configure a model/, /MCPDECK_MODEL_BASE_URL/],
    [
      'when the client wants approvals',
      { config: { requireToolApproval: true } },
      422,
      /no approvals/,
      /approval of each tool call/,
    ],
    ['without servers', { config: { serverIds: [] } }, 409, /environment cannot run/, /has no servers/],
    [
      'when the model refuses',
      { script: () => ({ status: 401, message: 'bad key sk-private' }) },
      502,
      /its owner can see why/,
      /refused the key/,
    ],
    [
      'when the model says nothing',
      { script: () => ({ text: '' }) },
      502,
      /its owner can see why/,
      /without an answer/,
    ],
  ] as const)('%s is explained in general, and to the owner in detail', async (_, given, status, told, noted) => {
    const { visit, transcript } = await study({ mode: 'anyone_with_link' }, given)
    const session = await visit.enter()
    const refused = await session.say('hello')
    expect(refused).toMatchObject({ status, body: { message: expect.stringMatching(told) } })
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1')
    expect((await session.state()).status).toBe(200)
    expect(await session.messages()).toMatchObject({
      body: { items: [{ role: 'user' }, { role: 'system', text: 'There was no answer.' }] },
    })
    expect((await transcript()).messages?.at(-1)).toMatchObject({ role: 'system', text: expect.stringMatching(noted) })
  })

  test('a tool that prints the settings of its server tells no visitor its credentials', async () => {
    const told: string[] = []
    const script = ({ results }: Asked): Answer => {
      told.push(...results)
      return results.length > 0 ? { text: results.join() } : { calls: [{ name: 'get-env', args: {} }] }
    }
    const { api, visit, projectId, serverId } = await study({ mode: 'anyone_with_link' }, { script })
    const env = { WEATHER_API_KEY: 'hunter2-"and"-more', DEFAULT_CITY: 'Amsterdam-Centrum' }
    await api.call(contract.servers.update, { projectId, serverId, body: { env } })
    const { body } = await (await visit.enter()).say('Print the environment of the weather server.')
    for (const said of [JSON.stringify(body), told.join()]) {
      expect(said).not.toContain('hunter2')
      expect(said).toContain('[secret]')
      expect(said).toContain('Amsterdam-Centrum')
    }
  })

  test('by a tool is reported with its name, but its message stays with the assistant', async () => {
    const script = ({ results }: Asked): Answer =>
      results.length > 0
        ? { text: 'That did not work.' }
        : { calls: [{ name: 'get-sum', args: { a: 'secret-argument' } }] }
    const { visit, transcript } = await study({ mode: 'anyone_with_link' }, { script })
    const { body } = await (await visit.enter()).say('hello')
    expect(body['items']).toMatchObject([{ role: 'tool', toolName: 'get-sum', isError: true }, { role: 'assistant' }])
    expect((await transcript()).messages?.[1]).toMatchObject({ text: 'The tool answered with an error.' })
    expect(JSON.stringify([body, await transcript()])).not.toContain('secret-argument')
  })
})

describe('the visitor endpoint', () => {
  test('takes only JSON from its own page, within limits and with known fields', async () => {
    const { visit, link, log } = await study()
    const session = await visit.enter()
    const messages = `${visit.origin}/visit/session/messages`
    const post = (body: string, headers: object = {}) =>
      visit.send('POST', messages, { bearer: session.token, body, headers })
    for (const body of ['{', '{}', '{"text":" "}', '{"text":1}', '{"text":"x","more":1}'])
      expect(await post(body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
    expect((await post(JSON.stringify({ text: 'x'.repeat(8001) }))).status).toBe(400)
    expect((await post(JSON.stringify({ text: 'x'.repeat(100_000) }))).status).toBe(400)
    expect((await post('{"text":"x"}', { 'content-type': 'text/plain' })).status).toBe(400)
    for (const feedback of [{}, { rating: 0 }, { rating: 6 }, { rating: 1.5 }, { comment: 'x'.repeat(2001) }])
      expect((await session.rate(feedback)).status).toBe(400)
    expect(await visit.send('POST', messages, { body: { text: 'x' } })).toMatchObject({ status: 401 })
    const put = await visit.send('PUT', messages, { bearer: session.token })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
    expect((await visit.send('GET', `${link}/more`)).status).toBe(404)
    expect((await visit.send('GET', `${visit.origin}/visit/`)).status).toBe(404)
    const options = await visit.send('OPTIONS', messages)
    expect(options.status).toBe(204)
    const all = [put, options, await session.state(), await visit.describe()]
    for (const { headers } of all) {
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const logged = JSON.stringify(log)
    expect(logged).toContain('/visit/')
    for (const secret of [session.token.slice(-20), link.slice(-20)]) expect(logged).not.toContain(secret)
  })

  test('shows a browser a page that runs nothing but its own script', async () => {
    const { api, target, link, visit } = await study()
    const name = '<img src=x onerror=alert(1)>"\'&'
    await api.call(userTesting.update, { ...target, body: { name, description: '</script><script>x' } })
    const page = await visit.send('GET', link, { headers: { accept: 'text/html,*/*' } })
    const html = String(page.body['text'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy')!
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!
    expect(policy).toContain("default-src 'none'")
    expect(html.split('<script')).toHaveLength(2)
    expect(html).toContain(`<script nonce="${nonce}">`)
    expect(html).not.toContain('<img')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const again = await visit.send('GET', link, { headers: { accept: 'text/html' } })
    expect(again.headers.get('content-security-policy')).not.toBe(policy)
  })

  test('slows down guessing and talking, and stops doing so after a while', async () => {
    const { api, visit, clock } = await study()
    const wrong = visitor(api.fetch, `${visit.origin}/visit/${'0'.repeat(12)}${'x'.repeat(43)}`)
    const guesses: number[] = []
    for (let i = 0; i < 31; i += 1) guesses.push((await wrong.redeem()).status)
    expect(new Set(guesses.slice(0, 30))).toEqual(new Set([404]))
    expect(guesses.at(-1)).toBe(429)
    expect((await visit.session(`vst_${'0'.repeat(12)}${'x'.repeat(43)}`).state()).status).toBe(429)
    // A visitor with the right link does not notice it.
    const session = await visit.enter()
    const said: number[] = []
    for (let i = 0; i < 6; i += 1) said.push((await session.say(`message ${i}`)).status)
    expect(said).toEqual([200, 200, 200, 200, 200, 429])
    clock.now += 60_000
    expect((await session.say('later')).status).toBe(200)
    expect((await wrong.redeem()).status).toBe(404)
  })
})

test('a visitor of a scenario whose client was deleted gets a conflict', async () => {
  const { api, visit, projectId, clientId } = await study()
  const session = await visit.enter()
  await api.call(clients.delete, { projectId, clientId, body: { force: true } })
  expect(await session.say('hello')).toMatchObject({ status: 409 })
})
