import type { ProjectRole } from '../roles.ts'
import { insertInto, type Database } from '../core/database/database.ts'

export { PROJECT_ROLES, type ProjectRole } from '../roles.ts'

export type KeyRow = {
  id: string
  /** Public part of the key, by which it is found. */
  lookup: string
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  name: string
  accountId: string
  /** Null when the organization is gone: the key is orphaned. */
  organizationId: string | null
  /** Role in every project of the organization without a grant; null = none. */
  role: ProjectRole | null
  createdAt: number
  revokedAt: number | null
}

export type KeyRows = {
  get(id: string): KeyRow | undefined
  find(lookup: string): KeyRow | undefined
  /** Oldest first. */
  list(): KeyRow[]
  insert(row: KeyRow): void
  /** False when there is no such key or it was revoked before. */
  revoke(id: string, at: number): boolean
  /** False when there is no such key, it has no organization or it was revoked. */
  orphan(id: string): boolean
  grant(keyId: string, projectId: string, role: ProjectRole): void
  /** Project id to role. */
  grants(keyId: string): Map<string, ProjectRole>
}

export function createKeyRows(database: Database): KeyRows {
  return {
    get: id => database.get('SELECT * FROM apiKey WHERE id = :id', { id }),
    find: lookup => database.get('SELECT * FROM apiKey WHERE lookup = :lookup', { lookup }),
    list: () => database.all('SELECT * FROM apiKey ORDER BY id'),
    insert: row => void database.run(insertInto('apiKey', Object.keys(row)), row),
    revoke: (id, at) =>
      database.run('UPDATE apiKey SET revokedAt = :at WHERE id = :id AND revokedAt IS NULL', { id, at }) > 0,
    orphan: id =>
      database.run(
        `UPDATE apiKey SET organizationId = NULL
         WHERE id = :id AND organizationId IS NOT NULL AND revokedAt IS NULL`,
        { id },
      ) > 0,
    grant(keyId, projectId, role) {
      database.run(
        `INSERT INTO apiKeyGrant (keyId, projectId, role) VALUES (:keyId, :projectId, :role)
         ON CONFLICT (keyId, projectId) DO UPDATE SET role = :role`,
        { keyId, projectId, role },
      )
    },
    grants(keyId) {
      const rows = database.all<{ projectId: string; role: ProjectRole }>(
        'SELECT projectId, role FROM apiKeyGrant WHERE keyId = :keyId',
        { keyId },
      )
      return new Map(rows.map(({ projectId, role }) => [projectId, role]))
    },
  }
}
