import type { EvalSuiteDetail } from '../contract/suites.ts'
import type { AdviceKey } from '../error-advice.ts'

/** What a launch of a saved suite says about where its cases run. */
export type LaunchChoice = {
  /** Several environments or several clients are one run group. */
  environmentIds: readonly string[]
  clientIds: readonly string[]
  serverIds: readonly string[]
}

/** Why a launch would be refused: the contract's reason where it has one, and ids that could be chosen instead. */
export type LaunchObstacle = {
  reason: AdviceKey
  /** What to say instead of the advice of `reason`. */
  sentence?: string
  candidates: readonly string[]
}

/**
 * Checks a launch by the contract's "Environment rules" before anything is sent; undefined when nothing stands in its
 * way. What only the service knows, such as whether an environment can run now, is left to it.
 */
export function launchObstacle(
  suite: Pick<EvalSuiteDetail, 'environment' | 'environmentIds' | 'hosts'>,
  { environmentIds, clientIds, serverIds }: LaunchChoice,
): LaunchObstacle | undefined {
  const attached = suite.environmentIds ?? []
  const clients = suite.hosts ?? []
  if (environmentIds.length > 0 && clientIds.length > 0)
    return { reason: 'HETEROGENEOUS_TARGETS', candidates: [] }
  if (environmentIds.some(id => !attached.includes(id)))
    return { reason: 'ENVIRONMENT_NOT_ATTACHED', candidates: attached }
  if (serverIds.length > 0 && attached.length > 0)
    return { reason: 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE', candidates: [] }
  const known = new Set(clients.map(({ id }) => id))
  if (clientIds.some(id => !known.has(id)))
    return {
      reason: 'VALIDATION_ERROR',
      sentence: 'The suite is not attached to that client.',
      candidates: [...known],
    }
  if (environmentIds.length > 0 || clientIds.length > 0) return undefined
  if (attached.length > 1) return { reason: 'ENVIRONMENT_REQUIRED', candidates: attached }
  const hasServers = serverIds.length > 0 || (suite.environment?.servers ?? []).length > 0
  if (attached.length === 0 && clients.length === 0 && !hasServers)
    return { reason: 'NO_SAVED_SERVER_SELECTION', candidates: [] }
  return undefined
}

/** Options that a run group does not take (schemas: EvalRunGroupCreateRequest). */
const SINGLE_RUN_ONLY = ['serverIds', 'model', 'modelApiKeys'] as const
