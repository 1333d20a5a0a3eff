import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { LIMITS } from '../../src/service/core/limits.ts'
import { setGate, setLimits, unsetLimits } from '../../src/service/core/organization-limits.ts'
import { IDEMPOTENCY_DAYS, forgetOld } from '../../src/service/core/background.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { createApi, echoCase, longCase, open, sandbox, temporaryDirectory, type Api } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'
import { startServe } from './start-child.ts'

const { account, capabilities, clients, environments, runs, projects, personas } = contract
const organizationOf = (store: Store) => store.settings.get('localOrganizationId')!
const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status)

function sendMany(apis: readonly Api[], count: number): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => apis[index % apis.length]!.send(account.me)))
}

describe('the request rate', () => {
  test('is one exact bucket for parallel requests of one key', async () => {
    // One request a minute is refilled, so that the bucket stays the same while the test runs.
    const { api, store } = await open({ rateLimit: { perMinute: 1, burst: 10 } })
    const answers = await sendMany([api], 40)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(30)
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(await answer.json()).toMatchObject({ code: 'RATE_LIMITED' })
    }
    const { key } = makeKey(store, 'other', { role: 'member' })
    expect((await api.send(account.me, {}, { key })).status).toBe(200)
  })

  test('lets two processes on one directory together use the burst and the refilled requests', async () => {
    const dataDir = temporaryDirectory()
    const [first, second] = await Promise.all([startServe(dataDir), startServe(dataDir)])
    const { store } = await open({ dataDir })
    expect(first.api.key).toBe(second.api.key)
    const meet = async (perMinute: number, key: string) => {
      setLimits(store, organizationOf(store), [`requestsPerMinute=${perMinute}`, 'burst=10'])
      const apis = [first, second].map(({ baseUrl }) => createApi(fetch, key, baseUrl))
      const begun = Date.now()
      const answers = await sendMany(apis, 50)
      const elapsedMs = Date.now() - begun
      for (const answer of answers.filter(({ status }) => status === 429))
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      return { passed: statusesOf(answers).filter(status => status === 200).length, elapsedMs }
    }
    const newKey = () => makeKey(store, 'limited', { role: 'member' }).key
    expect(await meet(1, newKey())).toMatchObject({ passed: 10 })
    const { passed, elapsedMs } = await meet(600, newKey())
    expect(passed).toBeGreaterThanOrEqual(10)
    expect(passed).toBeLessThanOrEqual(10 + Math.floor(elapsedMs / 100))
  })

  test('is not used up by a refused request or by an unknown key', async () => {
    const { api } = await open({ rateLimit: { perMinute: 1, burst: 2 } })
    for (let i = 0; i < 5; i += 1) expect((await api.send(account.me, {}, { key: 'sk_wrong' })).status).toBe(401)
    expect((await api.send(account.me)).status).toBe(200)
    expect((await api.send(capabilities.get)).status).toBe(200)
    expect((await api.send(account.me)).status).toBe(429)
  })

  test('has no limit unless one is requested, whatever is stored', async () => {
    const { api, store } = await open()
    setLimits(store, organizationOf(store), ['requestsPerMinute=1', 'burst=1'])
    const answers = await sendMany([api], 100)
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
    expect(await api.call(capabilities.get)).toMatchObject({ limits: { requestsPerMinute: null } })
  })

  test('is set by the options of the process, which override the stored rate', async () => {
    const { api, store } = await open({ rateLimit: { burst: 2 } })
    setLimits(store, organizationOf(store), ['requestsPerMinute=1', 'burst=50'])
    expect(statusesOf(await sendMany([api], 3)).toSorted()).toEqual([200, 200, 429])
    expect((await open({ rateLimit: {} })).api).toBeDefined()
  })
})

describe('the limits of a service', () => {
  test('are all announced, and a change takes effect at once in another process', async () => {
    const dataDir = temporaryDirectory()
    const served = await startServe(dataDir, { rateLimit: 0, maxRuns: 7 })
    const { store } = await open({ dataDir })
    const defaults = Object.fromEntries(Object.entries(LIMITS).map(([name, { value }]) => [name, value]))
    const own = { requestsPerMinute: null, concurrentRuns: 7 }
    expect(await served.api.call(capabilities.get)).toMatchObject({ limits: { ...defaults, ...own } })
    setLimits(store, organizationOf(store), ['pendingConnections=3', 'insightsPerDay=0', 'concurrentRuns=9'])
    expect(await served.api.call(capabilities.get)).toMatchObject({
      limits: { ...defaults, ...own, pendingConnections: 3, insightsPerDay: 0 },
    })
    unsetLimits(store, organizationOf(store), ['pendingConnections', 'insightsPerDay'])
    expect(await served.api.call(capabilities.get)).toMatchObject({ limits: { ...defaults, ...own } })

    const { projectId } = await sandbox(served.api)
    const body = { name: 'Probe', role: 'tester' }
    setGate(store, organizationOf(store), 'swarms', 'off')
    expect(await served.api.refused(personas.create, { projectId, body })).toMatchObject({ status: 403 })
    setGate(store, organizationOf(store), 'swarms', 'on')
    expect((await served.api.send(personas.create, { projectId, body })).status).not.toBe(403)
  })

  test.each([
    [['burst'], 'use name=value'],
    [['burst=0'], 'burst takes a whole number from 1 to 1000000'],
    [['burst=1e3'], 'not "1e3"'],
    [['burst=-1'], 'not "-1"'],
    [['requestsPerMinute=1000001'], 'from 0 to 1000000'],
    [['burst=5', 'toString=1'], 'There is no limit "toString"'],
  ])('refuse %j, which changes nothing', async (assignments, sentence) => {
    const { store, api } = await open({ rateLimit: {} })
    expect(() => setLimits(store, organizationOf(store), assignments)).toThrow(sentence)
    expect(await api.call(capabilities.get)).toMatchObject({ limits: { burst: 10, requestsPerMinute: 60 } })
  })

  test('of concurrent runs follow the organization’s number, and their refusal names no time', async () => {
    const { api, store } = await open()
    const { projectId, serverId } = await sandbox(api)
    const tests = [{ ...longCase('long', 30), model: 'm', provider: 'm', runs: 1 }]
    const body = { suiteName: 'Capped', tests, serverIds: [serverId] }
    setLimits(store, organizationOf(store), ['concurrentRuns=1'])
    const { runId } = await api.call(runs.create, { projectId, body })
    const refused = await api.refused(runs.create, { projectId, body: { ...body, suiteName: 'Second' } })
    expect(refused).toMatchObject({
      status: 429,
      details: { reason: 'CONCURRENT_RUN_LIMIT', limit: 1, activeRunIds: [runId] },
    })
    expect(refused.headers.has('retry-after')).toBe(false)
    setLimits(store, organizationOf(store), ['concurrentRuns=2'])
    await api.call(runs.create, { projectId, body: { ...body, suiteName: 'Second' } })
  })
})

test('a refusal for which no wait is known, such as that of a busy model, still names a wait', async () => {
  // The endpoint decides how long to wait between two tries; here it is almost nothing.
  const { settings } = await scriptedModel(() => ({ status: 429, headers: { 'retry-after-ms': '1' } }))
  const { api } = await open({ models: { ...settings, model: 'small' } })
  const { projectId, serverId } = await sandbox(api)
  const config = { modelId: 'a/b', serverIds: [serverId] }
  const { id: hostId } = await api.call(clients.create, { projectId, body: { name: 'C', config } })
  const environment = await api.call(environments.create, { projectId, body: { name: 'E', hostId } })
  const body = { environmentId: environment.id }
  const refused = await api.refused(personas.generate, { projectId, body })
  expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(refused.headers.get('retry-after')).toBe('5')
})

test('a reply to an idempotency key is kept for a week, and counted requests for two days', async () => {
  const { api, store } = await open()
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ ...echoCase('echo', 'a'), model: 'm', provider: 'm', runs: 1 }]
  const body = { suiteName: 'Once', tests, serverIds: [serverId] }
  const headers = { 'idempotency-key': 'intent-1' }
  const launch = () => api.call(runs.create, { projectId, body }, { headers })
  const { runId } = await launch()
  const day = 24 * 60 * 60 * 1000
  const now = Date.now()
  store.quotaUses.insert(organizationOf(store), 'launch', now)
  const used = () => store.quotaUses.since(organizationOf(store), 'launch', 0).count

  forgetOld(store, now + (IDEMPOTENCY_DAYS - 1) * day)
  expect(await launch()).toMatchObject({ runId, deduped: true })
  expect(used()).toBe(0)
  store.quotaUses.insert(organizationOf(store), 'launch', now)
  forgetOld(store, now + day)
  expect(used()).toBe(1)
  forgetOld(store, Date.now() + IDEMPOTENCY_DAYS * day + 1)
  const fresh = await launch()
  expect(fresh.runId).not.toBe(runId)
  expect(fresh.deduped ?? false).toBe(false)
})

test('a database that another process locks is reported as a timeout, not as an internal error', async () => {
  const { api, store } = await open({ log: () => {} })
  const other = new DatabaseSync(join(store.directory!.path, 'mcpdeck.sqlite'))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const refused = await api.refused(projects.create, { body: { name: 'Late' } })
  expect(refused).toMatchObject({ status: 504, code: 'TIMEOUT' })
  other.exec('ROLLBACK')
  expect(await api.call(projects.create, { body: { name: 'Late' } })).toMatchObject({ name: 'Late' })
})
