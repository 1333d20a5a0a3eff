import fc from 'fast-check'
import type * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { prepareRequest } from '../client/transport/request.ts'
import { AgentTurnEffects, AgentTurnRequest } from './agent.ts'
import { ChatMessageRequest } from './chat.ts'
import { contract, publishedEndpoints } from './contract.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { JourneyRun, SwarmOverview, JourneyRunLaunchRequest } from './journey-runs.ts'
import { JourneyCreateRequest, JourneyGenerateRequest, JourneyUpdateRequest } from './journeys.ts'
import { PersonaCreateRequest, PersonaGenerateRequest, PersonaUpdateRequest } from './personas.ts'
import { OpenAIReadinessRequest } from './readiness.ts'
import { scenarioUrl } from './scenarios.ts'
import { GenerationDrafts, Swarm, SwarmCreateRequest, SwarmUpdateRequest } from './swarms.ts'
import {
  ScenarioInsightsCancelRequest,
  UserTestingSessionDetail,
  GuestExecutionRequest,
  ScenarioMemberRequest,
  ScenarioPublishRequest,
  ScenarioUpdateRequest,
} from './user-testing.ts'
const endpoints = publishedEndpoints()
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
/** Returns the fields that a refusal names; an undeclared field by its own name. */
const named = (schema: z.ZodType, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).flatMap(issue =>
    issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')],
  )
const text = (length: number) => 'x'.repeat(length)

/** Generates objects with any of the optional fields. */
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] })
const sparse = some({
  sessionsPerTarget: fc.integer({ min: 1, max: 100 }),
  maxTurns: fc.integer({ min: 1, max: 200 }),
  name: fc.string({ maxLength: 60 }),
  environmentIds: fc.oneof(fc.constant(null), fc.array(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 4 })),
})

describe('grounding of drafts (service-api "Journey-draft request fields")', () => {
  const persona = { name: 'Ada', role: 'buyer' }

  test.each([
    ['personas', PersonaGenerateRequest(), {}],
    ['journeys', JourneyGenerateRequest(), { persona }],
  ])('%s takes exactly one of the two ids, whatever else is sent', (_name, schema, rest) => {
    const ids = some({ environmentId: fc.string(), serverAttachmentId: fc.string() })
    const extras = some({ journeyCount: fc.integer(), description: fc.string({ maxLength: 200 }) })
    fc.assert(
      fc.property(ids, extras, (sent, extra) => {
        expect(takes(schema, { ...rest, ...extra, ...sent })).toBe(Object.keys(sent).length === 1)
      }),
    )
    expect(named(schema, rest)).toEqual(['environmentId'])
    expect(takes(schema, { ...rest, environmentId: 'e', serverAttachmentId: undefined })).toBe(true)
  })

  test('a persona is sent by value and complete, and personaCount is limited (limits section 4)', () => {
    expect(named(JourneyGenerateRequest(), { environmentId: 'e' })).toEqual(['persona'])
    expect(named(JourneyGenerateRequest(), { environmentId: 'e', persona: { name: 'Ada' } })).toEqual(['persona.role'])
    expect(named(JourneyGenerateRequest(), { environmentId: 'e', persona, personaId: 'p' })).toEqual(['personaId'])
    for (const [personaCount, taken] of [
      [0, false],
      [1, true],
      [12, true],
      [13, false],
      [1.5, false],
    ] as const)
      expect(takes(PersonaGenerateRequest(), { environmentId: 'e', personaCount })).toBe(taken)
  })

  test('drafts are read in all three forms (service-api "POST …/personas/generate")', () => {
    const journeys = [{ goal: 'Buy a lamp', suggestedChecks: [{ type: 'later' }] }]
    for (const reply of [{ journeys }, { persona, journeys }, { personas: [{ persona, journeys }] }])
      expect(GenerationDrafts().parse({ ...reply, later: 1 })).toEqual({ ...reply, later: 1 })
  })
})

describe('journey and swarm edits (OpenAPI JourneyUpdateRequest(), SwarmUpdateRequest())', () => {
  test.each([
    ['journey', JourneyUpdateRequest()],
    ['swarm', SwarmUpdateRequest()],
  ])('%s needs at least one field, both fields of the pair, and no empty list', (_name, schema) => {
    fc.assert(
      fc.property(sparse, edit => {
        const paired = 'sessionsPerTarget' in edit === 'maxTurns' in edit
        const filled = edit.environmentIds?.length !== 0
        expect(takes(schema, edit)).toBe(Object.keys(edit).length > 0 && paired && filled)
      }),
    )
    expect(named(schema, { sessionsPerTarget: 3 })).toEqual(['maxTurns'])
    expect(named(schema, { maxTurns: 3 })).toEqual(['sessionsPerTarget'])
    expect(named(schema, { environmentIds: [] })).toEqual(['environmentIds'])
    expect(takes(schema, { environmentIds: null })).toBe(true)
  })

  test.each([
    ['persona', PersonaUpdateRequest()],
    ['journey', JourneyUpdateRequest()],
    ['swarm', SwarmUpdateRequest()],
    ['scenario', ScenarioUpdateRequest()],
  ])('%s does not count a field that JSON drops', (_name, schema) => {
    expect(takes(schema, { name: undefined })).toBe(false)
    expect(takes(schema, { name: 'new' })).toBe(true)
  })

  test('null clears only the fields for which the documents say so', () => {
    expect(takes(JourneyUpdateRequest(), { serverAttachmentId: null })).toBe(true)
    expect(takes(SwarmUpdateRequest(), { description: null })).toBe(true)
    expect(named(JourneyUpdateRequest(), { goal: null })).toEqual(['goal'])
    expect(named(JourneyCreateRequest(), { ...journey, environmentIds: null })).toEqual(['environmentIds'])
    expect(named(PersonaUpdateRequest(), { notes: null })).toEqual(['notes'])
  })

  test('setupWrites is read and never sent (differences row 15)', () => {
    expect(Swarm().parse({ id: 's', name: 'n', setupWrites: true }).setupWrites).toBe(true)
    expect(named(SwarmUpdateRequest(), { name: 'n', setupWrites: true })).toEqual(['setupWrites'])
  })
})

const journey = { goal: 'Buy a lamp', personaId: 'p', sessionsPerTarget: 1, maxTurns: 1 }
const swarm = { name: 'n', sessionsPerTarget: 1, maxTurns: 1 }
const persona = { name: 'Ada', role: 'buyer' }

test.each<[string, z.ZodType, object, unknown, unknown]>([
  ['name', PersonaCreateRequest(), persona, text(120), text(121)],
  ['role', PersonaCreateRequest(), persona, 'r', ''],
  ['notes', PersonaCreateRequest(), persona, text(2000), text(2001)],
  ['avatarShape', PersonaCreateRequest(), persona, 0, -1],
  ['goal', JourneyCreateRequest(), journey, text(4000), text(4001)],
  ['goal', JourneyCreateRequest(), journey, 'g', ''],
  ['name', JourneyCreateRequest(), journey, text(200), text(201)],
  ['sessionsPerTarget', JourneyCreateRequest(), journey, 100, 101],
  ['maxTurns', JourneyCreateRequest(), journey, 200, 0],
  ['environmentIds', JourneyCreateRequest(), journey, ['e'], []],
  ['maxTurns', SwarmCreateRequest(), swarm, 200, 201],
  ['sessionsPerTarget', SwarmCreateRequest(), swarm, 1, undefined],
  ['description', SwarmCreateRequest(), swarm, text(2000), text(2001)],
  ['waveId', JourneyRunLaunchRequest(), {}, text(64), text(65)],
  ['environmentIds', JourneyRunLaunchRequest(), {}, ['e'], []],
  ['mode', ScenarioPublishRequest(), {}, 'invited_only', 'everyone'],
  ['name', ScenarioPublishRequest(), {}, text(200), text(201)],
  ['email', ScenarioMemberRequest(), { email: 'a@b.c' }, text(320), text(321)],
  ['windowId', ScenarioInsightsCancelRequest(), { windowId: 'w' }, 'w', ''],
  ['idempotencyKey', OpenAIReadinessRequest(), { submissionMode: 'mcp-only' }, text(200), text(201)],
  ['submissionMode', OpenAIReadinessRequest(), {}, 'mcp-only', undefined],
])('a value at a bound of limits section 4 is checked: %s (%#)', (field, schema, base, good, bad) => {
  expect(named(schema, { ...base, [field]: good })).toEqual([])
  expect(named(schema, { ...base, [field]: bad })).toEqual([field])
})

describe('user testing by strangers', () => {
  test('mode is sent alone (OpenAPI ScenarioUpdateRequest())', () => {
    const edits = some({
      name: fc.string({ maxLength: 20 }),
      description: fc.string({ maxLength: 20 }),
      mode: fc.constantFrom('project_members', 'invited_only', 'anyone_with_link'),
    })
    fc.assert(
      fc.property(edits, edit => {
        const count = Object.keys(edit).length
        expect(takes(ScenarioUpdateRequest(), edit)).toBe('mode' in edit ? count === 1 : count > 0)
      }),
    )
    expect(named(ScenarioUpdateRequest(), { mode: 'invited_only', name: 'n' })).toEqual(['mode'])
  })

  test('guest limits are replaced as a whole (OpenAPI GuestExecution)', () => {
    const caps = {
      enabled: true,
      computerEnabled: false,
      sharedSkillsEnabled: false,
      dailyCreditCap: 2.5,
      dailyComputerStartCap: 0,
      maxConcurrentComputers: 0,
    }
    expect(takes(GuestExecutionRequest(), caps)).toBe(true)
    expect(takes(GuestExecutionRequest(), { ...caps, dailyHarnessSpendCapMicros: 1_500_000 })).toBe(true)
    for (const field of Object.keys(caps))
      expect(named(GuestExecutionRequest(), { ...caps, [field]: undefined })).toEqual([field])
    for (const field of ['dailyComputerStartCap', 'maxConcurrentComputers', 'dailyHarnessCallCap'])
      for (const value of [-1, 0.5])
        expect(named(GuestExecutionRequest(), { ...caps, [field]: value })).toEqual([field])
    expect(named(GuestExecutionRequest(), { ...caps, dailyCreditCap: -0.1 })).toEqual(['dailyCreditCap'])
  })

  test('a link is read in both shapes (differences row 34)', () => {
    const base = { id: 's', name: 'n' }
    const published = contract.userTesting.publish.response.parse({ ...base, link: 'https://x.test/1' })
    const listed = contract.scenarios.get.response.parse({ ...base, link: { path: '/1', url: 'https://x.test/1' } })
    expect(scenarioUrl(published.link)).toBe('https://x.test/1')
    expect(scenarioUrl(listed.link)).toBe('https://x.test/1')
    expect(scenarioUrl(contract.scenarios.get.response.parse({ ...base, link: null }).link)).toBeUndefined()
  })

  test('both spellings of publish send the same request (differences row 4)', () => {
    const { publish, publishPut } = contract.userTesting
    const request = (endpoint: AnyEndpoint) =>
      prepareRequest({ baseUrl: 'http://x.test/api/v1' }, endpoint, {
        projectId: 'p',
        environmentId: 'e',
        body: { mode: 'invited_only' },
      } as never)
    const [post, put] = [request(publish), request(publishPut)]
    expect([post.endpoint.method, put.endpoint.method]).toEqual(['POST', 'PUT'])
    expect([post.url, post.body]).toEqual([put.url, put.body])
    expect([publish.idempotency, publishPut.idempotency]).toEqual(['natural', 'natural'])
  })
})

describe('the agent and the chat', () => {
  const turn = (...contents: string[]) => ({ messages: contents.map(content => ({ role: 'user', content })) })

  test('history is limited in characters and in bytes (limits section 4)', () => {
    expect(takes(AgentTurnRequest(), turn(text(8000)))).toBe(true)
    expect(named(AgentTurnRequest(), turn(text(8001)))).toEqual(['messages.0.content'])
    expect(named(AgentTurnRequest(), turn(''))).toEqual(['messages.0.content'])
    expect(takes(AgentTurnRequest(), turn('é'.repeat(4096)))).toBe(true)
    expect(named(AgentTurnRequest(), turn('é'.repeat(4097)))).toEqual(['messages.0.content'])
    const full = Array.from({ length: 12 }, () => 'é'.repeat(4096))
    expect(takes(AgentTurnRequest(), turn(...full))).toBe(true)
    expect(named(AgentTurnRequest(), turn(...full, 'x'))).toEqual(['messages'])
    expect(takes(AgentTurnRequest(), turn(...Array.from({ length: 50 }, () => 'x')))).toBe(true)
    for (const count of [0, 51])
      expect(named(AgentTurnRequest(), turn(...Array.from({ length: count }, () => 'x')))).toEqual(['messages'])
  })

  test('the key is printable ASCII, and either conversation name is accepted (OpenAPI AgentTurnRequest())', () => {
    const base = turn('hello')
    for (const key of ['', text(201), 'clé', 'a\nb', 'a\n'])
      expect(named(AgentTurnRequest(), { ...base, idempotencyKey: key })).toContain('idempotencyKey')
    expect(takes(AgentTurnRequest(), { ...base, idempotencyKey: 'cron 2026-01-01' })).toBe(true)
    expect(takes(AgentTurnRequest(), { ...base, conversationId: 'c', slackChannelId: 's' })).toBe(true)
    expect(named(AgentTurnRequest(), { ...base, model: 'm' })).toEqual(['model'])
  })

  test('records that a failed turn left behind are read from its details (differences row 27)', () => {
    const createdResources = [{ type: 'evalSuite', id: 's', url: 'https://x.test/s' }]
    expect(AgentTurnEffects().parse({ reason: 'x', createdResources }).createdResources).toEqual(createdResources)
    expect(AgentTurnEffects().parse({}).proposedActions).toBeUndefined()
  })

  test('a chat checks `browser` and passes undocumented fields on (differences section 5, item 8)', () => {
    const body = { anything: ['at', 'all'], browser: { policy: { mode: 'read' }, profileId: 'b' } }
    expect(ChatMessageRequest().parse(body)).toEqual(body)
    expect(named(ChatMessageRequest(), { browser: { sessionId: 's' } })).toEqual(['sessionId'])
    expect(contract.chat.send.idempotency).toBe('caller')
  })
})

describe('reads accept unknown data (service-api "Clients must ignore unknown response fields")', () => {
  test('a run may have unknown states and fields, and its counts as in the prose (differences row 26)', () => {
    const run = { id: 'r', status: 'paused', canceled: true, sessionsGraded: 3, failCount: 1, later: {} }
    expect(JourneyRun().parse(run)).toEqual(run)
    expect(takes(JourneyRun(), { status: 'running' })).toBe(false)
  })

  test('null stays null, since ungraded and unreadable are not zero (limits section 11)', () => {
    expect(SwarmOverview().parse({ runs: [{ runId: 'r', goalCompletion: null }] }).runs?.[0]?.goalCompletion).toBe(null)
    expect(UserTestingSessionDetail().parse({ id: 's', messageCount: null }).messageCount).toBe(null)
  })

  test('an empty answer behind a closed gate is read as a list or a roll-up (limits section 7)', () => {
    for (const endpoint of endpoints.filter(({ name, risk }) => name === 'list' && risk === 'read'))
      expect(endpoint.response.parse({ items: [] })).toEqual({ items: [] })
    expect(SwarmOverview().parse({})).toEqual({})
    expect(contract.readiness.list.response.parse({}).items).toEqual([])
  })
})
