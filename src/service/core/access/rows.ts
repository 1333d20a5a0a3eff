import type { Database } from '../database/database.ts'
import { tableOf } from '../database/table.ts'
import { newId } from '../ids.ts'
import type { ProjectRole } from '../../../api/contract/endpoint.ts'

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

export function createKeyRows(database: Database) {
  const keys = tableOf<KeyRow>(database, 'apiKey')
  return {
    get: (id: string) => keys.one({ id }),
    find: (lookup: string) => keys.one({ lookup }),
    /** Oldest first. */
    list: () => keys.all({}, 'ORDER BY id'),
    insert: keys.basics.insert,
    /** False when there is no such key or it was revoked before. */
    revoke: (id: string, at: number) => keys.change({ id, revokedAt: null }, { revokedAt: at }) > 0,
    /** False when there is no such key, it has no organization or it was revoked. */
    orphan: (id: string) =>
      keys.change({ id, revokedAt: null }, { organizationId: null }, 'AND organizationId IS NOT NULL') > 0,
    grant(keyId: string, projectId: string, role: ProjectRole) {
      database.run(
        `INSERT INTO apiKeyGrant (keyId, projectId, role) VALUES (:keyId, :projectId, :role)
         ON CONFLICT (keyId, projectId) DO UPDATE SET role = :role`,
        { keyId, projectId, role },
      )
    },
    /** Project id to role. */
    grants(keyId: string) {
      const rows = database.all<{ projectId: string; role: ProjectRole }>(
        'SELECT projectId, role FROM apiKeyGrant WHERE keyId = :keyId',
        { keyId },
      )
      return new Map(rows.map(({ projectId, role }) => [projectId, role]))
    },
  }
}

type OrganizationRow = { id: string; name: string; createdAt: number }
type AccountRow = { id: string; name: string; createdAt: number; updatedAt: number }

export function createOrganizationRows(database: Database) {
  const organizations = tableOf<OrganizationRow>(database, 'organization')
  const accounts = tableOf<AccountRow>(database, 'account')
  return {
    get: (id: string) => organizations.one({ id }),
    insert(name: string): OrganizationRow {
      const row = { id: newId('org'), name, createdAt: Date.now() }
      organizations.basics.insert(row)
      return row
    },
    /** Takes its projects with it and leaves its keys without an organization. */
    delete: organizations.delete,
    account: (id: string) => accounts.one({ id }),
    insertAccount(name: string): AccountRow {
      const now = Date.now()
      const row = { id: newId('acc'), name, createdAt: now, updatedAt: now }
      accounts.basics.insert(row)
      return row
    },
  }
}

export type ProjectRow = {
  id: string
  organizationId: string
  name: string
  description: string | null
  icon: string | null
  visibility: 'public' | 'private'
  createdAt: number
  updatedAt: number
}

export function createProjectRows(database: Database) {
  const projects = tableOf<ProjectRow>(database, 'project', { fixed: ['organizationId', 'createdAt'] })
  const { insert, update } = projects.basics
  return {
    get: (id: string) => projects.one({ id }),
    /** Oldest first. */
    list: (organizationId: string) => projects.all({ organizationId }, 'ORDER BY id'),
    insert,
    update,
    /** Takes everything in it with it. */
    delete: projects.delete,
  }
}
