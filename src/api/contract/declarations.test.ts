import { expect, test } from 'vitest'
import { overWeb } from '../../../test/web.ts'
import { createClient } from '../client/client.ts'
import { allEndpoints, contract } from './contract.ts'
import type { AnyEndpoint } from './endpoint.ts'

/** Areas whose rules are tested here: swarms, user testing, readiness, agent and chat. */
const AREAS = new Set([
  'personas',
  'journeys',
  'swarms',
  'journeyRuns',
  'journeyFindings',
  'waveInsights',
  'scenarios',
  'userTesting',
  'userTestingSessions',
  'userTestingInsights',
  'userTestingFindings',
  'readiness',
  'agent',
  'chat',
])
const endpoints = allEndpoints().filter(({ resource }) => AREAS.has(resource))
const operations = (holds: (endpoint: AnyEndpoint) => boolean) =>
  endpoints
    .filter(holds)
    .map(({ operation }) => operation)
    .sort()

test('the gated writes are those of limits section 7', () => {
  const isWrite = ({ risk }: AnyEndpoint) => risk !== 'read'
  expect(operations(endpoint => isWrite(endpoint) && endpoint.gate === undefined)).toEqual([
    'archiveJourney',
    'archiveSwarm',
    'cancelJourneyRun',
    'cancelReadinessRun',
    'cancelUserTestingInsights',
    'cancelWaveInsights',
    'deletePersona',
    'runAgentTurn',
    'sendChatSessionMessage',
    'startClaudeReadinessRun',
    'startOpenAIReadinessRun',
    'unpublishScenario',
  ])
  const ungatedReads = endpoints.filter(endpoint => !isWrite(endpoint) && endpoint.gate === undefined)
  expect(new Set(ungatedReads.map(({ resource }) => resource))).toEqual(new Set(['scenarios', 'readiness']))
  for (const { gate, path } of endpoints.filter(endpoint => endpoint.gate))
    expect(gate).toBe(/user-testing|environments/.test(path) ? 'user-testing' : 'swarms')
})

test('writes send keys where limits section 5 requires them, and harmless repeats are marked as it says', () => {
  expect(operations(({ idempotency }) => idempotency === 'header')).toEqual([
    'createJourney',
    'createPersona',
    'createSwarm',
    'launchJourneyRun',
  ])
  expect(operations(({ idempotency }) => idempotency === 'natural')).toEqual([
    'cancelJourneyRun',
    'dismissSwarmFinding',
    'dismissUserTestingFinding',
    'publishScenario',
    'publishScenarioPut',
    'rebindScenario',
    'setGuestExecution',
    'undismissSwarmFinding',
    'undismissUserTestingFinding',
    'unpublishScenario',
    'upsertScenarioMember',
  ])
})

test('no GET has a body, every GET is a read, and a cursor is a query parameter (differences row 12)', () => {
  for (const { method, body, risk, cursor, query } of endpoints) {
    expect(risk === 'read').toBe(method === 'GET')
    if (method === 'GET') expect(body).toBeUndefined()
    if (cursor) expect(query?.safeParse({ [cursor.name]: 'opaque' }).success).toBe(true)
  }
  expect(operations(({ cursor }) => cursor !== undefined)).toEqual([
    'getUserTestingSession',
    'listJourneyRunSessions',
    'listJourneyRuns',
    'listJourneys',
    'listPersonas',
    'listScenarios',
    'listSwarmFindings',
    'listSwarms',
    'listUserTestingFindings',
    'listUserTestingSessions',
  ])
})

test('no operation is declared twice, and all refreshed resources exist', () => {
  const everything = allEndpoints()
  const routes = everything.map(({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '*')}`)
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([])
  const names = everything.map(({ operation }) => operation)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  const resources = new Set(Object.keys(contract))
  for (const { refreshes = [] } of everything) expect(refreshes.filter(name => !resources.has(name))).toEqual([])
  for (const [key, group] of Object.entries(contract))
    for (const endpoint of Object.values<AnyEndpoint>(group)) expect(endpoint.resource).toBe(key)
})

test('pages are fetched by query through the real client (differences rows 12 and 13)', async () => {
  const seen: { url: string; body: string }[] = []
  const client = createClient({
    baseUrl: 'http://x.test/api/v1',
    key: 'sk_test',
    fetch: overWeb(async request => {
      seen.push({ url: request.url, body: await request.text() })
      const more = seen.length < 2
      return Response.json({ items: [{ id: `p${seen.length}`, name: 'n' }], nextCursor: more ? 'c/1' : '' })
    }),
  })
  const ids: string[] = []
  for await (const page of client.pages(contract.personas.list, { projectId: 'p' }))
    ids.push(...page.items.map(({ id }) => id))
  expect(ids).toEqual(['p1', 'p2'])
  const address = 'http://x.test/api/v1/projects/p/personas'
  expect(seen).toEqual([
    { url: address, body: '' },
    { url: `${address}?cursor=c%2F1`, body: '' },
  ])
})
