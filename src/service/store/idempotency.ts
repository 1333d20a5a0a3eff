import { parseStored } from '../../lib/json-depth.ts'
import type { Database } from '../core/database/database.ts'

/** Replies of creates that carried an idempotency key. */
export type IdempotencyRows = {
  /** `scope` names operation and owner; the same key under another scope is another key. */
  find(scope: string, key: string): { digest: string; reply: unknown } | undefined
  insert(scope: string, key: string, digest: string, reply: unknown): void
  /** Forgets replies that were made before a time; the same keys are new ones then. */
  deleteBefore(time: number): void
}

export function createIdempotencyRows(database: Database): IdempotencyRows {
  return {
    find(scope, key) {
      const row = database.get<{ digest: string; reply: string }>(
        'SELECT digest, reply FROM idempotency WHERE scope = :scope AND key = :key',
        { scope, key },
      )
      return row && { digest: row.digest, reply: parseStored(row.reply) }
    },
    insert(scope, key, digest, reply) {
      database.run(
        `INSERT INTO idempotency (scope, key, digest, reply, createdAt)
         VALUES (:scope, :key, :digest, :reply, :createdAt)`,
        { scope, key, digest, reply: JSON.stringify(reply), createdAt: Date.now() },
      )
    },
    deleteBefore: time => void database.run('DELETE FROM idempotency WHERE createdAt < :time', { time }),
  }
}
