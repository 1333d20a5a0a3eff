import type * as z from 'zod'
import { Swarm, type SwarmCreateRequest, type SwarmUpdateRequest } from '../../api/contract/swarms.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import type { SwarmRow } from './rows.ts'
import { declaredFields, requireNotArchived, requireNotBlank } from '../core/record-handlers.ts'
import { namedEnvironments } from '../environments/records.ts'

type Content = z.output<typeof SwarmCreateRequest>
type Edit = z.output<typeof SwarmUpdateRequest>

/**
 * Saves a swarm; runs inside the caller's transaction.
 * @throws ServiceError `VALIDATION_ERROR` for a blank name, `NOT_FOUND` and `CONFLICT` for its environments
 */
export function insertSwarm(store: Store, projectId: string, content: Content, now: number = Date.now()): SwarmRow {
  const { name, description, environmentIds = [], sessionsPerTarget, maxTurns } = content
  requireNotBlank('name', name)
  const row: SwarmRow = {
    id: newId('swm'),
    projectId,
    name,
    description: description || null,
    environmentIds: namedEnvironments(store, projectId, environmentIds),
    sessionsPerTarget,
    maxTurns,
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  store.swarms.insert(row)
  return row
}

/** Changes the defaults; journeys keep what they were made with. @throws ServiceError as for {@link insertSwarm} */
export function updateSwarm(store: Store, row: SwarmRow, edit: Edit): SwarmRow {
  requireNotArchived('swarm', row)
  requireNotBlank('name', edit.name)
  const { projectId, environmentIds } = row
  const updated: SwarmRow = {
    ...row,
    name: edit.name ?? row.name,
    description: edit.description === undefined ? row.description : edit.description || null,
    environmentIds: namedEnvironments(store, projectId, edit.environmentIds, environmentIds),
    sessionsPerTarget: edit.sessionsPerTarget ?? row.sessionsPerTarget,
    maxTurns: edit.maxTurns ?? row.maxTurns,
    updatedAt: Date.now(),
  }
  store.swarms.update(updated)
  return updated
}

/** `setupWrites` is what no request can switch on (differences, row 15). */
export function toSwarm(row: SwarmRow): Swarm {
  return { ...declaredFields(Swarm, row), setupWrites: false }
}
