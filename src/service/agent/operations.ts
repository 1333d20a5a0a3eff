import * as z from 'zod'
import type { ProposedAction } from '../../api/contract/agent.ts'
import { allEndpoints, contract } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import { refusalOf } from '../core/refusals.ts'

/**
 * Nouns whose operations the agent is offered. The other nouns report results, contain hosted things, or belong to no
 * project.
 */
const NOUNS: readonly string[] = [
  'servers',
  'suites',
  'cases',
  'runs',
  'iterations',
  'runGroups',
  'clients',
  'environments',
  'sessions',
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
]

/**
 * Operations that the agent is not offered: the first accepts only secrets, the second is an alias, and the third
 * creates a record that no list shows afterwards.
 */
const WITHHELD = new Set<AnyEndpoint>([
  contract.servers.importTokens,
  contract.userTesting.publishPut,
  contract.environments.ensureAdhoc,
])

/** Writes that only add a record. Every other write overwrites or hides something and is only proposed. */
const ADDS = new Set<AnyEndpoint>([
  contract.suites.create,
  contract.cases.create,
  contract.cases.createBatch,
  contract.clients.create,
  contract.environments.create,
  contract.personas.create,
  contract.journeys.create,
  contract.swarms.create,
])

/** Reads that send text of the model to an MCP server. */
const SENDS = new Set<AnyEndpoint>([
  contract.servers.getPrompt,
  contract.servers.readResource,
  contract.servers.getSkill,
  contract.servers.readSkillFile,
])

/** Reads that return only what the project's members wrote, and nothing from servers, models or visitors. */
const OWN_WORDS = new Set<AnyEndpoint>([
  contract.servers.list,
  contract.servers.get,
  contract.servers.checkOAuth,
  contract.suites.list,
  contract.suites.get,
  contract.clients.list,
  contract.clients.get,
  contract.environments.list,
  contract.environments.get,
  contract.environments.resolve,
  contract.scenarios.list,
  contract.scenarios.get,
])

/**
 * When an operation is carried out: always; only until the turn has read outside text, after which it is proposed; or
 * never, so that it is only proposed.
 */
type Tier = 'done' | 'untilOutside' | 'proposed'

export type AgentTool = {
  endpoint: AnyEndpoint
  tier: Tier
  /** Whether the answer may contain text of servers, models or visitors. Such text may try to instruct the model. */
  isOutside: boolean
  description: string
  inputSchema: Record<string, unknown>
}

let made: ReadonlyMap<string, AgentTool> | undefined

/** Returns every operation that the agent may be offered, by its name in the contract. */
export function agentTools(): ReadonlyMap<string, AgentTool> {
  made ??= new Map(
    allEndpoints()
      .filter(isOffered)
      .map(endpoint => [endpoint.operation, toTool(endpoint)]),
  )
  return made
}

function isOffered(endpoint: AnyEndpoint): boolean {
  const { resource, path, local } = endpoint
  if (local || WITHHELD.has(endpoint) || !NOUNS.includes(resource)) return false
  return path.startsWith('/projects/{projectId}/') && refusalOf(endpoint) === undefined
}

function toTool(endpoint: AnyEndpoint): AgentTool {
  const tier = tierOf(endpoint)
  const note = tier === 'proposed' ? ' Only proposed: a person decides about it.' : ''
  return {
    endpoint,
    tier,
    isOutside: endpoint.risk === 'read' && !OWN_WORDS.has(endpoint),
    description: endpoint.summary + note,
    inputSchema: inputSchemaOf(endpoint),
  }
}

function tierOf(endpoint: AnyEndpoint): Tier {
  if (ADDS.has(endpoint) || SENDS.has(endpoint)) return 'untilOutside'
  return endpoint.risk === 'read' ? 'done' : 'proposed'
}

type ObjectSchema = { properties?: Record<string, object>; required?: string[] }

/**
 * Returns the input schema of an operation: path parameters and query options on one level, the body under `body`, no
 * project or secrets.
 */
function inputSchemaOf({ path, query, body, secrets = [] }: AnyEndpoint): Record<string, unknown> {
  const names = ownParameters(path)
  const { properties = {}, required = [] } = query ? schemaOf(query) : {}
  const content = body && schemaOf(body)
  for (const secret of secrets) delete content?.properties?.[secret.replace('body.', '')]
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(names.map(name => [name, { type: 'string' }])),
      ...properties,
      ...(content && { body: content }),
    },
    required: [...names, ...required, ...(content && !body?.isOptional() ? ['body'] : [])],
    additionalProperties: false,
  }
}

function schemaOf(schema: z.ZodType): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return json as ObjectSchema
}

/**
 * Returns the path parameters that the caller of a tool provides. The project is no such parameter, since the turn sets
 * it.
 */
export function ownParameters(path: string): string[] {
  return pathParameters(path).filter(name => name !== 'projectId')
}

type Effect = Pick<ProposedAction, 'kind' | 'confirmSeverity' | 'buttonLabel'>

/** Returns the effect of approving an operation, in the contract's words. */
export function effectOf({ resource, name, risk }: AnyEndpoint, body: unknown): Effect {
  const isServer = resource === 'servers' || risk === 'expose'
  if (name === 'schedule') {
    const stops = (body as { enabled?: unknown } | undefined)?.enabled === false
    return { kind: 'schedule', confirmSeverity: stops ? 'none' : 'spend', buttonLabel: 'Schedule it' }
  }
  if (name === 'generate') return { kind: 'generate', confirmSeverity: 'spend', buttonLabel: 'Generate it' }
  if (risk === 'spend') return { kind: 'start', confirmSeverity: 'spend', buttonLabel: 'Start it' }
  if (risk === 'end') return { kind: 'cancel', confirmSeverity: 'none', buttonLabel: 'End it' }
  if (risk === 'delete') return { kind: 'cancel', confirmSeverity: 'none', buttonLabel: 'Delete it' }
  if (isServer) return { kind: 'external', confirmSeverity: 'external', buttonLabel: 'Do it' }
  return { kind: 'start', confirmSeverity: 'none', buttonLabel: 'Save it' }
}
