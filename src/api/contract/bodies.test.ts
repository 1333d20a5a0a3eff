import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { prepareRequest } from '../client/transport/request.ts'
import { ClientCreateRequest, ClientUpdateRequest, configIdOf, HostUpdateRequest } from './clients.ts'
import { isTerminalConnectionStatus } from './connections.ts'
import { successorOf, type AnyEndpoint, type InputOf } from './endpoint.ts'
import { allEndpoints, contract } from './contract.ts'
import { EnvironmentUpdateRequest } from './environments.ts'
import { SandboxImageUpdateRequest } from './images.ts'
import { InsightsEnvelope } from './insight-shapes.ts'
import { EvalRunJudges } from './judge-shapes.ts'
import { EvalRunGroupCreateRequest } from './run-groups.ts'
import { EvalCaseGenerateRequest } from './suites.ts'

/** Returns the paths of the fields that cause a body to be refused; `''` stands for the body itself. */
function refused(schema: z.ZodType | undefined, body: unknown): string[] {
  const parsed = schema!.safeParse(body)
  return parsed.success ? [] : parsed.error.issues.map(issue => issue.path.join('.'))
}

function addressOf<E extends AnyEndpoint>(endpoint: E, input: InputOf<E>): URL {
  return new URL(prepareRequest({ baseUrl: 'https://service.test/api/v1' }, endpoint, input).url)
}

const config = { modelId: 'anthropic/claude-haiku-4.5' }

describe('the bodies of requests', () => {
  test.each<[string, z.ZodType, unknown, string[]]>([
    ['a template', ClientCreateRequest(), { name: 'a', template: 'claude', theme: 'dark' }, []],
    ['a config', ClientCreateRequest(), { name: 'a', config: { ...config, hostStyle: 'x' } }, []],
    ['both', ClientCreateRequest(), { name: 'a', template: 'claude', config }, ['template']],
    ['neither', ClientCreateRequest(), { name: 'a' }, ['template']],
    ['a theme without template', ClientCreateRequest(), { name: 'a', config, theme: 'dark' }, ['template']],
    ['a blank model', ClientCreateRequest(), { name: 'a', config: { modelId: ' ' } }, ['config.modelId']],
    ['a config edit', ClientUpdateRequest(), { config, expectedConfigId: 'c1' }, []],
    ['a blind config edit', ClientUpdateRequest(), { config }, ['expectedConfigId']],
    ['a blind rename', ClientUpdateRequest(), { name: 'b' }, ['expectedName']],
    ['an expectation alone', ClientUpdateRequest(), { expectedName: 'a' }, ['']],
    ['an empty config', ClientUpdateRequest(), { config: {}, expectedConfigId: 'c1' }, ['config']],
    ['an expectation on an alias', HostUpdateRequest(), { name: 'b', expectedName: 'a' }, ['']],
    ['a rename on an alias', HostUpdateRequest(), { name: 'b' }, []],
    ['a cleared pin', EnvironmentUpdateRequest(), { expectedRevision: 0, modelId: null }, []],
    ['a revision alone', EnvironmentUpdateRequest(), { expectedRevision: 3, name: undefined }, ['']],
    ['an empty list', EnvironmentUpdateRequest(), { expectedRevision: 3, pluginVersionIds: [] }, ['pluginVersionIds']],
    ['no change', SandboxImageUpdateRequest(), {}, ['']],
    ['an oversized bucket', EvalCaseGenerateRequest(), { caseMix: { complex: 11 } }, ['caseMix.complex']],
    ['nothing to say', EvalCaseGenerateRequest(), undefined, []],
  ])('are refused or accepted: %s', (_, schema, body, fields) => {
    expect(refused(schema, body)).toEqual(fields)
  })

  test('the targets of a run group must be of one kind', () => {
    const group = (targets: object[]) => refused(EvalRunGroupCreateRequest(), { suiteId: 's', targets })
    expect(group([{ environmentId: 'e1' }, { environmentId: 'e2' }])).toEqual([])
    expect(group([{ environmentId: 'e1' }, { namedHostId: 'h1' }])).toEqual(['targets'])
    expect(group([{ environmentId: 'e1', namedHostId: 'h1' }])).toEqual(['targets.0'])
    expect(group([])).toEqual(['targets'])
  })
})

describe('the queries of requests', () => {
  test('a switch is sent as text and read as a boolean', () => {
    const endpoint = contract.environments.list
    expect(addressOf(endpoint, { projectId: 'p', includeArchived: true }).search).toBe('?includeArchived=true')
    expect(endpoint.query!.parse({ includeArchived: 'false' })).toEqual({ includeArchived: false })
    expect(refused(endpoint.query, { includeArchived: 'yes' })).toEqual(['includeArchived'])
  })

  test('a search scope needs a search text, and sources must be known', () => {
    const { query } = contract.sessions.list
    expect(refused(query, { scope: 'transcripts' })).toEqual(['scope'])
    expect(refused(query, { q: '', scope: 'transcripts', sourceType: 'eval,swarm' })).toEqual([])
    expect(refused(query, { sourceType: 'eval,dream' })).toEqual(['sourceType'])
  })

  test('chat sessions are paged with `before`', () => {
    const { cursor, query } = contract.chatSessions.list
    expect(cursor).toEqual({ in: 'query', name: 'before' })
    expect(refused(query, { cursor: 'c' })).toEqual([])
  })
})

describe('the answers of the service', () => {
  test('the id of a config is found under either name', () => {
    expect(configIdOf({ configId: 'new', hostConfigId: 'old' })).toBe('new')
    expect(configIdOf({ configId: null, hostConfigId: 'old' })).toBe('old')
    expect(configIdOf({})).toBeUndefined()
  })

  test('unknown values and fields are kept', () => {
    const insights = { status: 'dreaming', findings: [{ id: 'rf_1', title: 't', severity: 'cosmic', more: 1 }] }
    expect(InsightsEnvelope().parse(insights)).toEqual(insights)
    const judges = { politeness: { status: 'pending' }, goalCompletion: { status: null } }
    expect(EvalRunJudges().parse(judges)).toEqual(judges)
  })

  test('only documented final states of a connection request are final', () => {
    expect(['ready', 'failed', 'expired', 'cancelled'].every(isTerminalConnectionStatus)).toBe(true)
    expect(['validating', 'anything'].some(isTerminalConnectionStatus)).toBe(false)
  })
})

describe('the declared operations', () => {
  const endpoints = allEndpoints()

  test('every GET is a read', () => {
    for (const { method, risk, operation } of endpoints.filter(({ method }) => method === 'GET'))
      expect({ operation, method, risk }).toEqual({ operation, method, risk: 'read' })
  })

  test('only the former paths of clients and scenarios are deprecated', () => {
    const successors = endpoints.flatMap(({ path }) => {
      const successor = successorOf(path)
      return successor === undefined ? [] : [[path, successor] as const]
    })
    const former = endpoints.filter(({ path }) => /hosts|scenario/.test(path))
    expect(successors.map(([path]) => path)).toEqual(former.map(({ path }) => path))
    expect(successors.filter(([, successor]) => /hosts?|scenario|user-testing/i.test(successor))).toEqual([])
    expect(Object.fromEntries(successors)).toMatchObject({
      '/projects/{projectId}/hosts/{hostId}/servers': '/projects/{projectId}/clients/{client}/servers',
      '/projects/{projectId}/scenarios': '/projects/{projectId}/studies',
      '/projects/{projectId}/user-testing/scenarios/{scenarioId}/sessions/{sessionId}':
        '/projects/{projectId}/studies/{studyId}/sessions/{sessionId}',
      '/projects/{projectId}/environments/{environmentId}/scenario':
        '/projects/{projectId}/environments/{environmentId}/study',
    })
  })
})
