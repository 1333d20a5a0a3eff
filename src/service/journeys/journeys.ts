import type * as z from 'zod'
import { Journey, type JourneyCreateRequest, type JourneyUpdateRequest } from '../../api/contract/journeys.ts'
import { oneLine, cut } from '../core/one-line.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import {
  declaredFields,
  requireNotArchived,
  requireNotBlank,
  archiveRecord,
  recordHandlers,
} from '../core/record-handlers.ts'
import { namedClients, namedEnvironments, refuseServerGroup } from '../environments/environments.ts'
import { json, tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'
import { draftJourneys } from '../drafting/drafting.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

/**
 * A task for one persona, and the environments or clients on which to try it. The contract gives a journey no checks.
 */
export type JourneyRow = {
  id: string
  projectId: string
  name: string
  goal: string
  /** The persona may have been deleted if the journey is archived. */
  personaId: string
  /** The swarm in which the journey was created. Nothing else depends on it. */
  swarmId: string | null
  /** Environments on which a launch runs. If there are none, it runs on `clientIds`. Each may be archived. */
  environmentIds: string[]
  /** Clients (the wire's `hostIds`) on which a launch runs if there are no environments. Each may have been deleted. */
  clientIds: string[]
  sessionsPerTarget: number
  maxTurns: number
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createJourneyRows(database: Database) {
  const journeys = tableOf<JourneyRow>(database, 'journey', { kinds: { environmentIds: json(), clientIds: json() } })
  return {
    /** Returns archived journeys too. */
    ...journeys.basics,
    page: journeys.page('AND archivedAt IS NULL'),
    /** Returns the journeys of a persona that are not archived, oldest first. */
    idsByPersona: (projectId: string, personaId: string) =>
      journeys.all({ projectId, personaId, archivedAt: null }, 'ORDER BY position').map(({ id }) => id),
  }
}

type Content = z.output<typeof JourneyCreateRequest>
type Edit = z.output<typeof JourneyUpdateRequest>

/** Maximum length of a name that is derived from the goal, in characters. */
const NAME_CHARS = 80

/**
 * Saves a journey in the caller's transaction. Without a target it copies the environments of its swarm.
 * @throws ServiceError `NOT_FOUND`, `CONFLICT` for archived parts, `VALIDATION_ERROR`
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

/** Edits a journey. Runs that were launched before do not change. @throws ServiceError as {@link insertJourney} */
function updateJourney(store: Store, row: JourneyRow, edit: Edit): JourneyRow {
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

function toJourney(row: JourneyRow): Journey {
  return declaredFields(Journey, row)
}

/** Returns the name of a journey. Without one it is the beginning of the goal. */
function nameOf(name: string, goal: string): string {
  return name.trim() === '' ? cut(oneLine(goal), NAME_CHARS) : name
}

export function journeyHandlers(context: ServiceContext): Handlers['journeys'] {
  const { store } = context
  const { write, ...handlers } = recordHandlers(store, 'journeys', {
    rows: store.journeys,
    list: { latest: store.journeys.page },
    toItem: toJourney,
    insert: insertJourney,
    update: updateJourney,
  })
  return {
    ...handlers,
    archive: write(row => archiveRecord(store.journeys, row)),
    generate: ({ project, body, signal }) => draftJourneys(context, project, body, signal),
  }
}
