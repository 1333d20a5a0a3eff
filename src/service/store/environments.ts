import { assignments, insertInto, type Database } from '../core/database/database.ts'

export type EnvironmentRow = {
  id: string
  projectId: string
  /** Null = nameless, found by its content. */
  name: string | null
  description: string | null
  /** May name a client that was deleted since. */
  clientId: string
  /** Null = the client's model. */
  modelId: string | null
  /** Of nameless ones only: equal for equal content. */
  contentDigest: string | null
  /** Grows by one with every change. */
  revision: number
  /** Null = live. */
  archivedAt: number | null
  createdAt: number
  updatedAt: number
}

export type EnvironmentRows = {
  get(projectId: string, id: string): EnvironmentRow | undefined
  /** The live one of this name. */
  findByName(projectId: string, name: string): EnvironmentRow | undefined
  /** The live nameless one of this content. */
  findByContent(projectId: string, contentDigest: string): EnvironmentRow | undefined
  /** Named ones, oldest first. */
  list(projectId: string, includeArchived: boolean): EnvironmentRow[]
  /** Live ones of a client, nameless ones too. */
  listByClient(projectId: string, clientId: string): EnvironmentRow[]
  insert(row: EnvironmentRow): void
  update(row: EnvironmentRow): void
}

export function createEnvironmentRows(database: Database): EnvironmentRows {
  const where = (condition: string) =>
    `SELECT * FROM environment WHERE projectId = :projectId AND ${condition} ORDER BY id`
  return {
    get: (projectId, id) => database.get(where('id = :id'), { projectId, id }),
    findByName: (projectId, name) =>
      database.get(where('name = :name AND archivedAt IS NULL'), { projectId, name }),
    findByContent: (projectId, contentDigest) =>
      database.get(where('contentDigest = :contentDigest AND archivedAt IS NULL'), {
        projectId,
        contentDigest,
      }),
    list: (projectId, includeArchived) =>
      database.all(where(`name IS NOT NULL${includeArchived ? '' : ' AND archivedAt IS NULL'}`), {
        projectId,
      }),
    listByClient: (projectId, clientId) =>
      database.all(where('clientId = :clientId AND archivedAt IS NULL'), { projectId, clientId }),
    insert: row => void database.run(insertInto('environment', Object.keys(row)), row),
    update(row) {
      const { projectId: _project, createdAt: _created, ...values } = row
      const columns = Object.keys(values).filter(name => name !== 'id')
      database.run(`UPDATE environment SET ${assignments(columns)} WHERE id = :id`, values)
    },
  }
}
