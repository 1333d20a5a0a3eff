import { expect, test } from 'vitest'
import { API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { plainHeaders, type ApiRequest } from '../../src/api/contract/message.ts'
import { echoCase, open, sandbox, untilEnded } from '../service/harness.ts'
import { answerDeviations } from './answer-deviations.ts'
import { metDeviations, takeAnswerProblems } from './answer-problems.ts'
import { checked } from './checked-answers.ts'

const { account, clients, connections, environments, hostCatalog, iterations, projects, runs, servers, suites } =
  contract

/** Returns what the check finds in an answer to a read. */
async function problemsOf(path: string, status: number, body: unknown): Promise<string[]> {
  const answer = checked(() => Promise.resolve({ status, headers: plainHeaders({}), body: JSON.stringify(body) }))
  const request: ApiRequest = {
    method: 'GET',
    url: `http://local.test${API_PREFIX}${path}`,
    headers: plainHeaders({}),
    body: null,
    signal: new AbortController().signal,
  }
  await answer(request)
  return takeAnswerProblems()
}

test('an answer that violates its declared shape, its status or its code is found', async () => {
  expect(await problemsOf('/projects', 200, { items: [{ id: 1 }] })).toContain(
    'listProjects 200: items.0.id: Invalid input: expected string, received number',
  )
  expect(await problemsOf('/projects', 201, { items: [] })).toContain('listProjects 201: status 201, declared as 200')
  expect(await problemsOf('/projects', 404, { code: 'CONFLICT', message: 'No.' })).toEqual([
    'listProjects 404: CONFLICT answered with 404',
  ])
  expect(await problemsOf('/projects', 404, { message: 'No.' })).toContain(
    'listProjects 404: code: Invalid input: expected string, received undefined',
  )
})

test('an unknown value is left out if the contract has no null for it', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  expect(await api.call(account.me)).toMatchObject({ email: '' })
  for (const server of (await api.call(servers.list, { projectId })).items)
    expect(server).not.toHaveProperty('oauthScopes')
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  const { summary } = await api.call(runs.get, { projectId, runId })
  expect(Object.values(summary ?? {})).not.toContain(null)
  await untilEnded(api, projectId, runId)
  const hosts = Object.values((await api.call(hostCatalog.get)).catalog?.hostsById ?? {})
  expect(new Set(hosts.map(({ rendersMcpApps }) => typeof rendersMcpApps))).toEqual(new Set(['boolean']))
})

test('a bare list of runs is the only list without an envelope', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  expect(await (await api.send(runs.list, { projectId, suiteId })).json()).toBeInstanceOf(Array)
  const enveloped = (await open({ shape: 'published' })).api
  const own = await sandbox(enveloped)
  const answer = await enveloped.send(runs.list, { projectId: own.projectId, suiteId: own.suiteId })
  expect(await answer.json()).toEqual({ items: [] })
})

test('a nameless environment is checked with its own shape', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const { id: hostId } = await api.call(clients.create, {
    projectId,
    body: { name: 'own', config: { modelId: 'm', serverIds: [serverId] } },
  })
  const { environment: made } = await api.call(environments.ensureAdhoc, { projectId, body: { hostId } })
  expect(await api.call(environments.get, { projectId, environmentId: made.id })).toMatchObject({ name: null })
})

test('answers are checked against the published contract too', async () => {
  expect(await problemsOf('/me', 200, { id: 'acc_1', name: 'n', email: null })).toEqual([
    'getMe 200: response.email must be string',
  ])
})

test('every listed deviation occurs in an answer', async () => {
  const { api } = await open()
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'One', model: 'm', serverIds: [serverId], tests: [echoCase('echo', 'hi')] }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const headers = { 'x-mcpjam-eval-vocabulary': '2' }
  await api.call(iterations.list, { projectId, runId }, { headers })
  await api.call(clients.create, { projectId, body: { name: 'own', config: { modelId: 'm' } } })
  await api.call(clients.list, { projectId })
  await api.call(runs.list, { projectId, suiteId })
  // With a second project each of these requests would wait until a project is chosen.
  await api.call(projects.create, { body: { name: 'Second' } })
  const ask = (number: number) => api.send(connections.create, { body: { url: `http://127.0.0.1:1/${number}` } })
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(ask))
  expect(answers.map(({ status }) => status)).toContain(429)
  expect([...metDeviations]).toEqual(expect.arrayContaining([...answerDeviations]))
})
