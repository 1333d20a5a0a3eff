import type { Database } from '../core/database/database.ts'
import type { RunLease } from './runs.ts'

export type JobRow = RunLease & { kind: string; subjectId: string }

/** Work under way; a row without a living process was abandoned. */
export type JobRows = {
  /** False when the subject has such a job already. */
  insert(row: JobRow): boolean
  list(): JobRow[]
  renew(token: string, expiresAt: number): void
  /** False when it was gone already. */
  delete(token: string): boolean
  find(kind: string, subjectId: string): JobRow | undefined
}

export function createJobRows(database: Database): JobRows {
  return {
    insert: row =>
      database.run(
        `INSERT INTO job (kind, subjectId, token, host, pid, expiresAt)
         VALUES (:kind, :subjectId, :token, :host, :pid, :expiresAt) ON CONFLICT DO NOTHING`,
        row,
      ) > 0,
    list: () => database.all<JobRow>('SELECT * FROM job'),
    renew: (token, expiresAt) =>
      void database.run('UPDATE job SET expiresAt = :expiresAt WHERE token = :token', { token, expiresAt }),
    delete: token => database.run('DELETE FROM job WHERE token = :token', { token }) > 0,
    find: (kind, subjectId) =>
      database.get('SELECT * FROM job WHERE kind = :kind AND subjectId = :subjectId', { kind, subjectId }),
  }
}
