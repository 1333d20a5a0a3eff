import type { Lease } from '../lease.ts'
import type { Database } from './database.ts'
import { json, tableOf } from './table.ts'

type IdempotencyRow = { scope: string; key: string; digest: string; reply: unknown; createdAt: number }

/** Replies of creates that carried an idempotency key. */
export function createIdempotencyRows(database: Database) {
  const replies = tableOf<IdempotencyRow>(database, 'idempotency', { key: 'key', kinds: { reply: json() } })
  return {
    /** `scope` names operation and owner; the same key under another scope is another key. */
    find: (scope: string, key: string) => replies.one({ scope, key }),
    insert: (scope: string, key: string, digest: string, reply: unknown) =>
      replies.basics.insert({ scope, key, digest, reply, createdAt: Date.now() }),
    /** Forgets replies that were made before a time; the same keys are new ones then. */
    deleteBefore: (time: number) => void database.run('DELETE FROM idempotency WHERE createdAt < :time', { time }),
  }
}

export type JobRow = Lease & { kind: string; subjectId: string }

/** Work under way; a row without a living process was abandoned. */
export function createJobRows(database: Database) {
  const jobs = tableOf<JobRow>(database, 'job', { key: 'token' })
  return {
    /** False when the subject has such a job already. */
    insert: (row: JobRow) =>
      database.run(
        `INSERT INTO job (kind, subjectId, token, host, pid, expiresAt)
         VALUES (:kind, :subjectId, :token, :host, :pid, :expiresAt) ON CONFLICT DO NOTHING`,
        row,
      ) > 0,
    list: () => jobs.all({}),
    renew: (token: string, expiresAt: number) => jobs.change({ token }, { expiresAt }),
    /** False when it was gone already. */
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

export type Settings = {
  get(name: SettingName): string | undefined
  set(name: SettingName, value: string): void
  /** The stored value, or the made one after storing it. */
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
    ensure(name, make) {
      const known = get(name)
      if (known !== undefined) return known
      const value = make()
      set(name, value)
      return value
    },
  }
}
