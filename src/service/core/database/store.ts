import type { Cursors } from './cursors.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Settings } from './rows.ts'

/** The workspace's records. Calls are synchronous. Changes that belong together are made inside one `write`. */
export interface Store {
  /** Undefined for a workspace in memory. */
  readonly directory: DataDirectory | undefined
  /** Runs one transaction, which begins before the first read so that nothing changes in between. */
  write<T>(work: () => T): T
  /** Gives several reads one consistent view. */
  read<T>(work: () => T): T
  /** Returns a name for the state of the records, see `Database`; undefined inside a `write`. */
  state(): string | undefined
  readonly cursors: Cursors
  readonly settings: Settings
  /** Returns a notice for the person once, to the first process that asks. */
  takeNotice(): string | undefined
  close(): void
}
