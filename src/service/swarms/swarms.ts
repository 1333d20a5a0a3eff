import type * as z from 'zod'
import { Swarm, type SwarmCreateRequest, type SwarmUpdateRequest } from '../../api/contract/swarms.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import {
  declaredFields,
  requireNotArchived,
  requireNotBlank,
  archiveRecord,
  recordHandlers,
} from '../core/record-handlers.ts'
import { namedEnvironments } from '../environments/environments.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/** Defaults for journeys that are created in the swarm. Launches do not use them. */
type SwarmRow = {
  id: string
  projectId: string
  name: string
  description: string | null
  environmentIds: string[]
  sessionsPerTarget: number
  maxTurns: number
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createSwarmRows(database: Database) {
  const swarms = tableOf<SwarmRow>(database, 'swarm', { kinds: { environmentIds: json() } })
  return {
    /** Returns archived swarms too. */
    ...swarms.basics,
    /** Returns a page of swarms that are not archived. */
    page: swarms.page('AND archivedAt IS NULL'),
  }
}

type Content = z.output<typeof SwarmCreateRequest>
type Edit = z.output<typeof SwarmUpdateRequest>

/** Saves a swarm in the caller's transaction. @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`, `CONFLICT` */
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

/** Changes the defaults of a swarm. Existing journeys do not change. @throws ServiceError as {@link insertSwarm} */
function updateSwarm(store: Store, row: SwarmRow, edit: Edit): SwarmRow {
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

/** Converts a swarm. `setupWrites` is always off, since no request can switch it on (differences, row 15). */
function toSwarm(row: SwarmRow): Swarm {
  return { ...declaredFields(Swarm, row), setupWrites: false }
}

export function swarmHandlers({ store }: ServiceContext): Handlers['swarms'] {
  const { write, ...handlers } = recordHandlers(store, 'swarms', {
    rows: store.swarms,
    list: { latest: store.swarms.page },
    toItem: toSwarm,
    insert: insertSwarm,
    update: updateSwarm,
  })
  return { ...handlers, archive: write(row => archiveRecord(store.swarms, row)) }
}
