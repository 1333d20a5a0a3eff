import type * as z from 'zod'
import { Journey, type JourneyCreateRequest, type JourneyUpdateRequest } from '../../api/contract/journeys.ts'
import { oneLine, cut } from '../core/one-line.ts'
import { newId } from '../core/ids.ts'
import type { JourneyRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { declaredFields, requireNotArchived, requireNotBlank } from '../core/record-handlers.ts'
import { namedClients, namedEnvironments, refuseServerGroup } from '../environments/records.ts'

type Content = z.output<typeof JourneyCreateRequest>
type Edit = z.output<typeof JourneyUpdateRequest>

/** Length of a name that is made from the goal. */
const NAME_CHARS = 80

/**
 * Saves a journey; runs inside the caller's transaction. One that names no target of its own fans out over the
 * environments of its swarm, which are copied.
 * @throws ServiceError `NOT_FOUND` for what it refers to, `CONFLICT` for archived parts, `VALIDATION_ERROR` for a blank
 *   goal
 */
export function insertJourney(store: Store, projectId: string, content: Content, now: number = Date.now()): JourneyRow {
  const { name = '', goal, personaId, swarmId, hostIds = [], sessionsPerTarget, maxTurns } = content
  requireNotBlank('goal', goal)
  store.personas.require(projectId, personaId)
  refuseServerGroup(content.serverAttachmentId)
  const swarm = swarmId === undefined ? undefined : store.swarms.require(projectId, swarmId)
  if (swarm) requireNotArchived('swarm', swarm)
  const defaults = hostIds.length > 0 ? [] : swarm?.environmentIds
  const row: JourneyRow = {
    id: newId('jny'),
    projectId,
    name: nameOf(name, goal),
    goal,
    personaId,
    swarmId: swarm?.id ?? null,
    environmentIds: namedEnvironments(store, projectId, content.environmentIds ?? defaults),
    clientIds: namedClients(store, projectId, hostIds),
    sessionsPerTarget,
    maxTurns,
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  store.journeys.insert(row)
  return row
}

/** Runs already started keep what they were launched with. @throws ServiceError as for {@link insertJourney} */
export function updateJourney(store: Store, row: JourneyRow, edit: Edit): JourneyRow {
  requireNotArchived('journey', row)
  requireNotBlank('goal', edit.goal)
  refuseServerGroup(edit.serverAttachmentId)
  const { projectId, environmentIds, clientIds } = row
  const goal = edit.goal ?? row.goal
  const updated: JourneyRow = {
    ...row,
    name: edit.name === undefined ? row.name : nameOf(edit.name, goal),
    goal,
    environmentIds: namedEnvironments(store, projectId, edit.environmentIds, environmentIds),
    clientIds: namedClients(store, projectId, edit.hostIds, clientIds),
    sessionsPerTarget: edit.sessionsPerTarget ?? row.sessionsPerTarget,
    maxTurns: edit.maxTurns ?? row.maxTurns,
    updatedAt: Date.now(),
  }
  store.journeys.update(updated)
  return updated
}

export function toJourney(row: JourneyRow): Journey {
  return declaredFields(Journey, row)
}

/** A journey without a name is called by the beginning of its goal. */
function nameOf(name: string, goal: string): string {
  return name.trim() === '' ? cut(oneLine(goal), NAME_CHARS) : name
}
