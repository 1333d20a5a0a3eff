import type { Lease } from '../lease.ts'
import type { Database } from '../../../lib/sqlite.ts'
import { json, tableOf } from './table.ts'
import { newId } from '../ids.ts'
import type { ProjectRole } from '../../../api/contract/endpoint.ts'

type IdempotencyRow = { scope: string; key: string; digest: string; reply: unknown; createdAt: number }

/** Creates the rows of replies to create requests that have an idempotency key. */
export function createIdempotencyRows(database: Database) {
  const replies = tableOf<IdempotencyRow>(database, 'idempotency', { key: 'key', kinds: { reply: json() } })
  return {
    /** `scope` names the operation and the owner of the key. The same key in another scope is a different key. */
    find: (scope: string, key: string) => replies.one({ scope, key }),
    insert: (scope: string, key: string, digest: string, reply: unknown) =>
      replies.basics.insert({ scope, key, digest, reply, createdAt: Date.now() }),
    /** Deletes replies that are older than a time. Their keys can then be used for new requests. */
    deleteBefore: (time: number) => void database.run('DELETE FROM idempotency WHERE createdAt < :time', { time }),
  }
}

export type JobRow = Lease & { kind: string; subjectId: string }

/** Creates the rows of work in progress. Work whose process is gone counts as abandoned. */
export function createJobRows(database: Database) {
  const jobs = tableOf<JobRow>(database, 'job', { key: 'token' })
  return {
    /** Returns false if such work is already in progress for the subject. */
    insert: (row: JobRow) =>
      database.run(
        `INSERT INTO job (kind, subjectId, token, host, pid, expiresAt)
         VALUES (:kind, :subjectId, :token, :host, :pid, :expiresAt) ON CONFLICT DO NOTHING`,
        row,
      ) > 0,
    list: () => jobs.all({}),
    renew: (token: string, expiresAt: number) => jobs.change({ token }, { expiresAt }),
    /** Returns false if there was no such row. */
    delete: (token: string) => database.run('DELETE FROM job WHERE token = :token', { token }) > 0,
    find: (kind: string, subjectId: string) => jobs.one({ kind, subjectId }),
  }
}

/** Facts about the workspace itself. */
type SettingName =
  | 'cursorSecret'
  | 'sealingKeyCheck'
  | 'localKeyId'
  | 'localAccountId'
  | 'localOrganizationId'
  | 'referenceServerId'
  /** The backup that the last upgrade made; absent once a person was told about it. */
  | 'upgradeCopy'

export type Settings = {
  get(name: SettingName): string | undefined
  set(name: SettingName, value: string): void
  take(name: SettingName): string | undefined
  /** Returns the stored value, or creates and stores one. */
  ensure(name: SettingName, make: () => string): string
}

export function createSettings(database: Database): Settings {
  const get = (name: SettingName) =>
    database.get<{ value: string }>('SELECT value FROM setting WHERE name = :name', { name })?.value
  const set = (name: SettingName, value: string) => {
    database.run(
      'INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value',
      { name, value },
    )
  }
  return {
    get,
    set,
    take: name =>
      database.get<{ value: string }>('DELETE FROM setting WHERE name = :name RETURNING value', { name })?.value,
    ensure(name, make) {
      const known = get(name)
      if (known !== undefined) return known
      const value = make()
      set(name, value)
      return value
    },
  }
}

/** Creates the rows of settings of organizations. A setting without a row has its declared default (`limits.ts`). */
export function createOrganizationSettingRows(database: Database) {
  const where = 'WHERE organizationId = :organizationId AND name = :name'
  return {
    get: (organizationId: string, name: string) =>
      database.get<{ value: string }>(`SELECT value FROM organizationSetting ${where}`, { organizationId, name })
        ?.value,
    set(organizationId: string, name: string, value: string) {
      database.run(
        `INSERT INTO organizationSetting (organizationId, name, value) VALUES (:organizationId, :name, :value)
         ON CONFLICT (organizationId, name) DO UPDATE SET value = :value`,
        { organizationId, name, value },
      )
    },
    unset: (organizationId: string, name: string) =>
      void database.run(`DELETE FROM organizationSetting ${where}`, { organizationId, name }),
  }
}

/** How much of its request rate a key has used. */
export type RateBucket = {
  /** Amount that is missing in the bucket, in units of 1/60 000 of a request. */
  owed: number
  /** The time at which `owed` was true, in epoch milliseconds. */
  at: number
}

/** Creates the rows of rate limits: one bucket for each key, shared by all processes of the workspace. */
export function createRateBucketRows(database: Database) {
  const buckets = tableOf<RateBucket & { keyId: string }>(database, 'rateBucket', { key: 'keyId' })
  return {
    get: (keyId: string): RateBucket | undefined => buckets.one({ keyId }),
    set: (keyId: string, { owed, at }: RateBucket) => buckets.put({ keyId, owed, at }),
  }
}

export function createQuotaUseRows(database: Database) {
  return {
    insert(organizationId: string, kind: string, at: number) {
      database.run('INSERT INTO quotaUse (organizationId, kind, at) VALUES (:organizationId, :kind, :at)', {
        organizationId,
        kind,
        at,
      })
    },
    /** Counts the uses since a time, and returns the earliest of them. */
    since: (organizationId: string, kind: string, time: number) =>
      database.get<{ count: number; oldest: number | null }>(
        `SELECT count(*) AS count, min(at) AS oldest FROM quotaUse
         WHERE organizationId = :organizationId AND kind = :kind AND at >= :time`,
        { organizationId, kind, time },
      ) ?? { count: 0, oldest: null },
    /** Deletes uses that no limit counts any more. */
    deleteBefore: (time: number) => void database.run('DELETE FROM quotaUse WHERE at < :time', { time }),
  }
}

export type KeyRow = {
  id: string
  /** Public part of the key, by which the key is found. */
  lookup: string
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  name: string
  accountId: string
  /** Null if the organization was deleted. The key is then orphaned. */
  organizationId: string | null
  /** Role in every project of the organization for which the key has no grant; null if it has none there. */
  role: ProjectRole | null
  createdAt: number
  revokedAt: number | null
}

export function createKeyRows(database: Database) {
  const keys = tableOf<KeyRow>(database, 'apiKey')
  return {
    get: (id: string) => keys.one({ id }),
    find: (lookup: string) => keys.one({ lookup }),
    list: () => keys.all({}, 'ORDER BY id'),
    insert: keys.basics.insert,
    /** Returns false if there is no such key or it was already revoked. */
    revoke: (id: string, at: number) => keys.change({ id, revokedAt: null }, { revokedAt: at }) > 0,
    /** Returns false if there is no such key, or if it was revoked or has no organization. */
    orphan: (id: string) =>
      keys.change({ id, revokedAt: null }, { organizationId: null }, 'AND organizationId IS NOT NULL') > 0,
    grant(keyId: string, projectId: string, role: ProjectRole) {
      database.run(
        `INSERT INTO apiKeyGrant (keyId, projectId, role) VALUES (:keyId, :projectId, :role)
         ON CONFLICT (keyId, projectId) DO UPDATE SET role = :role`,
        { keyId, projectId, role },
      )
    },
    /** Returns the roles of a key by project id. */
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
    /** Deletes an organization with its projects. Its keys remain without an organization. */
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
    list: (organizationId: string) => projects.all({ organizationId }, 'ORDER BY id'),
    insert,
    update,
    /** Deletes a project with everything in it. */
    delete: projects.delete,
  }
}
