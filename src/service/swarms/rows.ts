import { json, tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'

/** Defaults for the journeys that are made under it; nothing is looked up through it at launch. */
export type SwarmRow = {
  id: string
  projectId: string
  name: string
  description: string | null
  environmentIds: string[]
  sessionsPerTarget: number
  maxTurns: number
  /** Null = live. */
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export function createSwarmRows(database: Database) {
  const swarms = tableOf<SwarmRow>(database, 'swarm', { kinds: { environmentIds: json() } })
  return {
    /** `get` finds archived ones too. */
    ...swarms.basics,
    /** Live ones. */
    page: swarms.page('AND archivedAt IS NULL'),
  }
}
