import type * as z from 'zod'
import type { ErrorCode, ErrorReason } from '../../api/contract/error.ts'
import type { EvalRunCreateRequest } from '../../api/contract/runs.ts'
import type { EvalRunGroupCreated, EvalRunGroupCreateRequest } from '../../api/contract/run-groups.ts'
import { defined } from '../../lib/json.ts'

/** The chosen target for the cases of a saved suite. */
export type LaunchChoice = {
  /** Several environments or several clients make a run group. */
  environmentIds: readonly string[]
  clientIds: readonly string[]
  serverIds: readonly string[]
}

/** The field in which a person would correct the launch. */
export type LaunchField = 'environments' | 'clients' | 'servers' | 'model' | 'modelKeys' | 'iterations' | 'cases'

/** Why a launch would be refused: the contract's reason if it has one, and ids that could be chosen instead. */
export type LaunchObstacle = {
  field: LaunchField
  reason: ErrorCode | ErrorReason
  /** Replaces the advice of `reason`. */
  sentence?: string
  candidates: readonly string[]
}

/** The target of a suite's cases according to the suite. `hosts` are its clients. */
export type LaunchableSuite = {
  environmentIds?: readonly string[] | null | undefined
  hosts?: readonly { id: string }[] | null | undefined
  environment?: { servers?: readonly unknown[] | null | undefined } | null | undefined
}

/** Maximum number of targets in a run group, and of iterations of a case (contract: "Limits"). */
export const MOST_TARGETS = 10
export const ITERATIONS = { least: 1, most: 10 } as const

/** Whether a launch is a run group, with several environments or several clients. */
export function isGroup({ environmentIds, clientIds }: Omit<LaunchChoice, 'serverIds'>): boolean {
  return environmentIds.length + clientIds.length > 1
}

/**
 * Checks a launch against the contract's "Environment rules" before anything is sent; undefined if nothing is wrong.
 * What only the service knows, such as whether an environment can run now, is not checked.
 */
export function launchObstacle(suite: LaunchableSuite, choice: LaunchChoice): LaunchObstacle | undefined {
  const { environmentIds, clientIds, serverIds } = choice
  const attached = suite.environmentIds ?? []
  const clients = suite.hosts ?? []
  if (environmentIds.length > 0 && clientIds.length > 0)
    return { field: 'clients', reason: 'HETEROGENEOUS_TARGETS', candidates: [] }
  if (environmentIds.some(id => !attached.includes(id)))
    return { field: 'environments', reason: 'ENVIRONMENT_NOT_ATTACHED', candidates: attached }
  if (serverIds.length > 0 && attached.length > 0)
    return { field: 'servers', reason: 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE', candidates: [] }
  const known = new Set(clients.map(({ id }) => id))
  if (clientIds.some(id => !known.has(id)))
    return {
      field: 'clients',
      reason: 'VALIDATION_ERROR',
      sentence: 'The suite is not attached to that client.',
      candidates: [...known],
    }
  if (environmentIds.length + clientIds.length > MOST_TARGETS)
    return {
      field: environmentIds.length > 0 ? 'environments' : 'clients',
      reason: 'VALIDATION_ERROR',
      sentence: `A run group has at most ${MOST_TARGETS} targets.`,
      candidates: [],
    }
  if (environmentIds.length > 0 || clientIds.length > 0) return undefined
  if (attached.length > 1) return { field: 'environments', reason: 'ENVIRONMENT_REQUIRED', candidates: attached }
  const hasServers = serverIds.length > 0 || (suite.environment?.servers ?? []).length > 0
  // If there is only one client, it need not be chosen, and may use its own servers.
  if (attached.length === 0 && clients.length !== 1 && !hasServers)
    return { field: 'servers', reason: 'NO_SAVED_SERVER_SELECTION', candidates: [] }
  return undefined
}

/** Options that a run group does not accept (schemas: EvalRunGroupCreateRequest), in words. */
export const SINGLE_RUN_ONLY = { servers: 'other servers', model: 'other model', modelKeys: 'model key' } as const

/** Returns the options of a launch that a run group does not accept. */
export function notForGroups(
  choice: LaunchChoice & { model?: string | undefined; hasModelKeys: boolean },
): (keyof typeof SINGLE_RUN_ONLY)[] {
  if (!isGroup(choice)) return []
  const given = {
    servers: choice.serverIds.length > 0,
    model: choice.model !== undefined,
    modelKeys: choice.hasModelKeys,
  }
  return (['servers', 'model', 'modelKeys'] as const).filter(option => given[option])
}

/**
 * Returns the environment or client that a launch uses, whether chosen or the only one; empty means the saved servers.
 */
export function targetsOf(
  suite: LaunchableSuite,
  { environmentIds, clientIds }: LaunchChoice,
): Pick<LaunchChoice, 'environmentIds' | 'clientIds'> {
  const none = { environmentIds: [], clientIds: [] }
  if (environmentIds.length + clientIds.length > 0) return { environmentIds, clientIds }
  const attached = suite.environmentIds ?? []
  if (attached.length > 0) return { ...none, environmentIds: attached.length === 1 ? attached : [] }
  const clients = suite.hosts ?? []
  return { ...none, clientIds: clients.length === 1 ? clients.map(({ id }) => id) : [] }
}

type RunBody = z.input<typeof EvalRunCreateRequest>
type GroupBody = z.input<typeof EvalRunGroupCreateRequest>

/** Everything in a launch of a saved suite, with ids. */
export type LaunchRequest = LaunchChoice & {
  suiteId: string
  /** Empty = all. */
  caseIds: readonly string[]
  iterations?: number | undefined
  /** Only for a single run, like `modelApiKeys`. */
  model?: string | undefined
  /** Keys by provider. They are never stored or written. */
  modelApiKeys?: Readonly<Record<string, string>> | undefined
  matchOptions?: RunBody['matchOptionsOverride']
  withoutSkills?: boolean | undefined
  minimumPassRate?: number | undefined
  notes?: string | undefined
}

/** The operation of a launch, with its body. */
export type LaunchCall = { kind: 'run'; body: RunBody } | { kind: 'group'; body: GroupBody }

/** Converts a launch to a request of the contract. Several environments or clients are a run group. */
export function launchCall(request: LaunchRequest): LaunchCall {
  const { environmentIds, clientIds, serverIds, caseIds } = request
  const common = {
    suiteId: request.suiteId,
    ...defined({ iterationOverride: request.iterations, notes: request.notes }),
    ...(caseIds.length > 0 && { caseIds: [...caseIds] }),
    ...(request.matchOptions && { matchOptionsOverride: request.matchOptions }),
    ...(request.withoutSkills && { skillsOverride: 'exclude' as const }),
    ...(request.minimumPassRate !== undefined && { passCriteria: { minimumPassRate: request.minimumPassRate } }),
  }
  if (isGroup(request)) {
    const targets = [
      ...environmentIds.map(environmentId => ({ environmentId })),
      ...clientIds.map(namedHostId => ({ namedHostId })),
    ]
    return { kind: 'group', body: { ...common, targets } }
  }
  const [environmentId] = environmentIds
  const [namedHostId] = clientIds
  const body = {
    ...common,
    ...defined({ environmentId, namedHostId, model: request.model }),
    ...(serverIds.length > 0 && { serverIds: [...serverIds] }),
    ...(request.modelApiKeys && { modelApiKeys: { ...request.modelApiKeys } }),
  }
  return { kind: 'run', body }
}

/**
 * Returns the answer for a run group with an outcome for every target: one that the service leaves out has not started,
 * as far as anybody can tell, and must not count as passed.
 */
export function completeGroup(
  group: EvalRunGroupCreated,
  { environmentIds, clientIds }: Omit<LaunchChoice, 'serverIds'>,
): EvalRunGroupCreated {
  const answered = new Set(group.targets.map(({ target }) => target.environmentId ?? target.namedHostId))
  const missing = [
    ...environmentIds.map(id => ({ id, target: { environmentId: id } })),
    ...clientIds.map(id => ({ id, target: { namedHostId: id } })),
  ].flatMap(({ id, target }) => (answered.has(id) ? [] : [{ target, status: 'failed', error: NO_OUTCOME }]))
  return { ...group, targets: [...group.targets, ...missing] }
}

const NO_OUTCOME = { message: 'The service reports no run for it.' }
