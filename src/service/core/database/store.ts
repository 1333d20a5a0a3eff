import type { Cursors } from './cursors.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Settings } from './rows.ts'

/**
 * The workspace's records. Every call is synchronous; what belongs together runs inside one `write`.
 * `workspace/store.ts` adds the rows of every noun.
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
  /** What a person is to be told once, by whichever process comes to it first. */
  takeNotice(): string | undefined
  close(): void
}
