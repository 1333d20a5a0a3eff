import { parseStored } from '../../lib/json-depth.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'
import { latestFirst, type LatestFirst } from './latest-first.ts'

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

export type SwarmRows = {
  /** Archived ones too. */
  get(projectId: string, id: string): SwarmRow | undefined
  /** Live ones. */
  page: LatestFirst<SwarmRow>
  insert(row: SwarmRow): void
  update(row: SwarmRow): void
}

type StoredSwarm = Omit<SwarmRow, 'environmentIds'> & { environmentIds: string }

export function createSwarmRows(database: Database): SwarmRows {
  const read = <T extends StoredSwarm>(stored: T) => ({
    ...stored,
    environmentIds: parseStored(stored.environmentIds) as string[],
  })
  const stored = (row: SwarmRow) => ({ ...row, environmentIds: JSON.stringify(row.environmentIds) })
  const editable = [
    'name',
    'description',
    'environmentIds',
    'sessionsPerTarget',
    'maxTurns',
    'archivedAt',
    'updatedAt',
  ] as const
  const pageOf = latestFirst<StoredSwarm>(database, 'swarm', 'archivedAt IS NULL')
  return {
    get(projectId, id) {
      const row = database.get<StoredSwarm>('SELECT * FROM swarm WHERE id = :id AND projectId = :projectId', {
        id,
        projectId,
      })
      return row && read(row)
    },
    page: (projectId, before, limit) => pageOf(projectId, before, limit).map(read),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('swarm', Object.keys(values)), values)
    },
    update(row) {
      const values = stored(row)
      const changed = Object.fromEntries(editable.map(name => [name, values[name]]))
      database.run(`UPDATE swarm SET ${assignments(editable)} WHERE id = :id`, { ...changed, id: row.id })
    },
  }
}
