import { parseStored } from '../../lib/json-depth.ts'
import { assignments, insertInto, type Database } from '../core/database/database.ts'
import { latestFirst, type LatestFirst } from './latest-first.ts'

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

export type JourneyRows = {
  /** Archived ones too. */
  get(projectId: string, id: string): JourneyRow | undefined
  /** Live ones. */
  page: LatestFirst<JourneyRow>
  /** Live ones that refer to a persona, oldest first. */
  idsByPersona(projectId: string, personaId: string): string[]
  insert(row: JourneyRow): void
  update(row: JourneyRow): void
}

type StoredJourney = Omit<JourneyRow, 'environmentIds' | 'clientIds'> & {
  environmentIds: string
  clientIds: string
}

export function createJourneyRows(database: Database): JourneyRows {
  const editable = [
    'name',
    'goal',
    'environmentIds',
    'clientIds',
    'sessionsPerTarget',
    'maxTurns',
    'archivedAt',
    'updatedAt',
  ] as const
  const pageOf = latestFirst<StoredJourney>(database, 'journey', 'archivedAt IS NULL')
  return {
    get(projectId, id) {
      const row = database.get<StoredJourney>(
        'SELECT * FROM journey WHERE id = :id AND projectId = :projectId',
        { id, projectId },
      )
      return row && read(row)
    },
    page: (projectId, before, limit) => pageOf(projectId, before, limit).map(read),
    idsByPersona: (projectId, personaId) =>
      database
        .all<{ id: string }>(
          `SELECT id FROM journey
           WHERE projectId = :projectId AND personaId = :personaId AND archivedAt IS NULL ORDER BY position`,
          { projectId, personaId },
        )
        .map(({ id }) => id),
    insert(row) {
      const values = stored(row)
      database.run(insertInto('journey', Object.keys(values)), values)
    },
    update(row) {
      const values = stored(row)
      const changed = Object.fromEntries(editable.map(name => [name, values[name]]))
      database.run(`UPDATE journey SET ${assignments(editable)} WHERE id = :id`, { ...changed, id: row.id })
    },
  }
}

function read<T extends StoredJourney>(stored: T) {
  return {
    ...stored,
    environmentIds: parseStored(stored.environmentIds) as string[],
    clientIds: parseStored(stored.clientIds) as string[],
  }
}

function stored(row: JourneyRow) {
  return {
    ...row,
    environmentIds: JSON.stringify(row.environmentIds),
    clientIds: JSON.stringify(row.clientIds),
  }
}
