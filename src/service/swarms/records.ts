import type * as z from 'zod'
import type { Swarm, SwarmCreateRequest, SwarmUpdateRequest } from '../../api/contract/swarms.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import type { SwarmRow } from './rows.ts'
import { invalidField } from '../core/validation.ts'
import { namedEnvironments, requireNotArchived } from '../environments/records.ts'

type Content = z.output<typeof SwarmCreateRequest>
type Edit = z.output<typeof SwarmUpdateRequest>

/**
 * Saves a swarm; runs inside the caller's transaction.
 * @throws ServiceError `VALIDATION_ERROR` for a blank name, `NOT_FOUND` and `CONFLICT` for its environments
 */
export function insertSwarm(store: Store, projectId: string, content: Content, now: number = Date.now()): SwarmRow {
  const { name, description, environmentIds = [], sessionsPerTarget, maxTurns } = content
  requireName(name)
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
  requireName(edit.name)
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

/** Harmless to repeat. */
export function archiveSwarm(store: Store, row: SwarmRow): void {
  const now = Date.now()
  if (row.archivedAt === null) store.swarms.update({ ...row, archivedAt: now, updatedAt: now })
}

/** `setupWrites` is what no request can switch on (differences, row 15). */
export function toSwarm(row: SwarmRow): Swarm {
  const { id, projectId, name, description, environmentIds, sessionsPerTarget, maxTurns } = row
  return {
    id,
    projectId,
    name,
    description,
    environmentIds,
    sessionsPerTarget,
    maxTurns,
    setupWrites: false,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function requireName(name: string | undefined): void {
  if (name?.trim() === '') throw invalidField('name', 'must not be blank')
}
