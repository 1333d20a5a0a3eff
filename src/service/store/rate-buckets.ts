import type { Database } from '../core/database/database.ts'

/** What one key has used of its request rate. */
export type RateBucket = {
  /** What is missing until the bucket is full, in 1/60 000 of a request. */
  owed: number
  /** When that was so; epoch milliseconds. */
  at: number
}

/** One bucket for each key that was ever limited; every process of the workspace takes from the same ones. */
export type RateBucketRows = {
  get(keyId: string): RateBucket | undefined
  set(keyId: string, bucket: RateBucket): void
}

export function createRateBucketRows(database: Database): RateBucketRows {
  return {
    get: keyId => database.get('SELECT owed, at FROM rateBucket WHERE keyId = :keyId', { keyId }),
    set: (keyId, bucket) =>
      void database.run(
        `INSERT INTO rateBucket (keyId, owed, at) VALUES (:keyId, :owed, :at)
         ON CONFLICT (keyId) DO UPDATE SET owed = :owed, at = :at`,
        { keyId, ...bucket },
      ),
  }
}
