import type * as z from 'zod'
import type { JourneyRunLaunched, JourneyRunLaunchRequest } from '../../api/contract/journey-runs.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { Caller } from '../core/access.ts'
import { requireModel } from '../models/ask.ts'
import { RUBRIC, type AttemptRow, type JourneyRunRow, type JourneyTarget } from './rows.ts'
import type { JourneyRow } from '../journeys/journeys.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
import { createOnce, requireNotArchived, requireNotBlank } from '../core/record-handlers.ts'
import { resolveEnvironment } from '../environments/environments.ts'
import { startJourneyRun } from './engine.ts'
import { modelOf, serversOfClient, type ClientRow } from '../clients/clients.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServerRow } from '../servers/rows.ts'
type Launch = {
  project: ProjectRow
  caller: Caller
  journeyId: string
  body: z.output<typeof JourneyRunLaunchRequest>
  idempotencyKey: string | undefined
}

/**
 * Writes a run with its attempts and starts it, or writes nothing. A repeat with the same key returns the first answer
 * and spends nothing.
 * @throws ServiceError `NOT_FOUND`, `CONFLICT`, `FEATURE_NOT_SUPPORTED`, `RATE_LIMITED`
 */
export function launchJourneyRun(context: ServiceContext, launch: Launch): JourneyRunLaunched {
  const { store, quotas, models } = context
  const { project, caller, journeyId, body, idempotencyKey: key } = launch
  requireNotBlank('waveId', body.waveId)
  const runId = newId('jrn')
  const scope = `journeyRuns.launch/${project.id}/${journeyId}/${caller.keyId}`
  const launched = createOnce(store, { scope, key, body }, () => {
    const journey = store.journeys.require(project.id, journeyId)
    requireNotArchived('journey', journey)
    const resolved = resolveTargets(store, journey, body.environmentIds)
    for (const { target } of resolved) requireModel({ configured: models, keys: {} }, { model: target.modelId })
    quotas.take(project.organizationId, 'launch')
    const { run, attempts } = insertJourneyRun(store, runId, {
      journey,
      targets: resolved.map(({ target }) => target),
      waveId: body.waveId ?? newId('wav'),
    })
    const servers = resolved.map(each => each.servers.map(context.targets.of))
    startJourneyRun(context, { run, attempts, servers })
    return { id: runId, journeyId, projectId: project.id, status: 'running' }
  })
  return { ...launched, deduped: launched.id !== runId }
}

/** Writes a run with its attempts in the caller's transaction. @throws ServiceError `NOT_FOUND` without a persona */
export function insertJourneyRun(
  store: Store,
  id: string,
  { journey, targets, waveId }: { journey: JourneyRow; targets: JourneyTarget[]; waveId: string },
  now: number = Date.now(),
): { run: JourneyRunRow; attempts: AttemptRow[] } {
  const { name, goal, sessionsPerTarget, maxTurns } = journey
  const persona = store.personas.require(journey.projectId, journey.personaId)
  const run: JourneyRunRow = {
    id,
    projectId: journey.projectId,
    journeyId: journey.id,
    waveId,
    status: 'running',
    marker: null,
    error: null,
    plan: {
      journey: { name, goal, sessionsPerTarget, maxTurns },
      persona: { id: persona.id, name: persona.name, role: persona.role, notes: persona.notes },
      targets,
      rubric: [...RUBRIC],
    },
    createdAt: now,
    lastHeartbeatAt: now,
    endedAt: null,
  }
  const attempts = attemptsOf(run)
  store.journeyRuns.insert(run, attempts)
  return { run, attempts }
}

/** Returns the attempts of a run. The targets take turns, so that each is tried early. */
function attemptsOf({ id: runId, plan }: JourneyRunRow): AttemptRow[] {
  const places = Array.from({ length: plan.journey.sessionsPerTarget }, (_, sessionIndex) =>
    plan.targets.map((_target, targetPosition) => ({ targetPosition, sessionIndex })),
  ).flat()
  return places.map((place, position) => ({
    runId,
    position,
    ...place,
    status: 'pending',
    errorCode: null,
    errorMessage: null,
    startedAt: null,
    endedAt: null,
  }))
}

/** A target with the servers that its sessions use. */
export type ResolvedTarget = { target: JourneyTarget; servers: ServerRow[] }

/**
 * Returns the targets of a launch: the environments that it names, or else those of the journey. If there are none, the
 * targets are the clients of the journey.
 * @throws ServiceError `NOT_FOUND`; `CONFLICT` if one cannot run, was deleted or is unfit, or there is none
 */
export function resolveTargets(
  store: Store,
  journey: JourneyRow,
  environmentIds: readonly string[] | undefined,
): ResolvedTarget[] {
  const ids = [...new Set(environmentIds ?? journey.environmentIds)]
  if (ids.length > 0) return ids.map(id => environmentTarget(store, journey.projectId, id))
  if (journey.clientIds.length > 0) return journey.clientIds.map(id => clientTarget(store, journey.projectId, id))
  throw new ServiceError(
    'CONFLICT',
    'The journey has no targets: launch it with environmentIds, or name some in the journey.',
  )
}

function environmentTarget(store: Store, projectId: string, environmentId: string): ResolvedTarget {
  const { environment, client, servers, model } = resolveEnvironment(
    store,
    store.environments.require(projectId, environmentId),
  )
  const { id, name, revision } = environment
  return { target: { ...targetOf(id, client, servers, model.id), environment: { id, name, revision } }, servers }
}

function clientTarget(store: Store, projectId: string, clientId: string): ResolvedTarget {
  const client = store.clients.get(projectId, clientId)
  if (!client) throw new ServiceError('CONFLICT', `The client ${clientId} of the journey was deleted.`)
  const modelId = modelOf(client.config)
  if (modelId === undefined)
    throw new ServiceError('CONFLICT', `The client "${client.name}" of the journey names no model.`)
  const servers = serversOfClient(store, client)
  if (servers.length === 0)
    throw new ServiceError('CONFLICT', `The client "${client.name}" of the journey has no servers.`)
  return { target: targetOf(client.id, client, servers, modelId), servers }
}

function targetOf(
  targetId: string,
  { id, name, config }: ClientRow,
  servers: readonly ServerRow[],
  modelId: string,
): JourneyTarget {
  const { systemPrompt, temperature } = config
  return {
    targetId,
    hostId: id,
    hostName: name,
    modelId,
    ...(typeof systemPrompt === 'string' && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    servers: servers.map(server => ({ id: server.id, name: server.name })),
  }
}
