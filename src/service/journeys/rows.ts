import { json, tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'

/** A task for one persona, and where it is to be tried. The contract gives a journey no checks of its own. */
export type JourneyRow = {
  id: string
  projectId: string
  name: string
  goal: string
  /** Of a live journey the persona is there; a retired one may outlive it. */
  personaId: string
  /** Where it was authored, and nothing else. */
  swarmId: string | null
  /** Environments to fan out over; empty = pinned to `clientIds`. Each may have been archived since. */
  environmentIds: string[]
  /** Clients (the wire's `hostIds`) that count while no environment is named. Each may have been deleted since. */
  clientIds: string[]
  sessionsPerTarget: number
  maxTurns: number
  /** Null = live. */
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createJourneyRows(database: Database) {
  const journeys = tableOf<JourneyRow>(database, 'journey', { kinds: { environmentIds: json(), clientIds: json() } })
  return {
    /** `get` finds archived ones too. */
    ...journeys.basics,
    /** Live ones. */
    page: journeys.page('AND archivedAt IS NULL'),
    /** Live ones that refer to a persona, oldest first. */
    idsByPersona: (projectId: string, personaId: string) =>
      journeys.all({ projectId, personaId, archivedAt: null }, 'ORDER BY position').map(({ id }) => id),
  }
}
