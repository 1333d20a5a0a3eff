import type { Cursors } from './cursors.ts'
import type { DataDirectory } from './data-directory.ts'
import type { IdempotencyRows, JobRows, Settings } from './rows.ts'
import type { KeyRows, OrganizationRows, ProjectRows } from '../access/rows.ts'
import type { OrganizationSettingRows, RateBucketRows, QuotaUseRows } from '../limits/rows.ts'

/**
 * The workspace's records. Every call is synchronous; what belongs together runs inside one `write`. A noun adds its
 * tables to this interface where it has their rows (`<noun>/rows.ts`), so that what is below the nouns knows none of
 * them.
 */
export interface Store {
  /** Undefined for a workspace in memory. */
  readonly directory: DataDirectory | undefined
  /** One transaction, taken before the first read so that nothing changes in between. */
  write<T>(work: () => T): T
  /** One consistent view over several reads. */
  read<T>(work: () => T): T
  /** Names the state of the records, see `Database`; undefined inside a `write`. */
  state(): string | undefined
  readonly cursors: Cursors
  readonly settings: Settings
  readonly organizations: OrganizationRows
  readonly organizationSettings: OrganizationSettingRows
  readonly quotaUses: QuotaUseRows
  readonly rateBuckets: RateBucketRows
  readonly jobs: JobRows
  readonly keys: KeyRows
  readonly projects: ProjectRows
  readonly idempotency: IdempotencyRows
  close(): void
}
