import type { Cursors } from './cursors.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Settings } from './rows.ts'

/** The workspace's records. Calls are synchronous. Changes that belong together are made inside one `write`. */
export interface Store {
  /** Undefined for a workspace in memory. */
  readonly directory: DataDirectory | undefined
  /** Runs one transaction. It begins before the first read, so that other processes change nothing in between. */
  write<T>(work: () => T): T
  /** Gives several reads one consistent view. */
  read<T>(work: () => T): T
  /** Returns a text that differs after any change of the records, see `Database`; undefined inside a `write`. */
  state(): string | undefined
  readonly cursors: Cursors
  readonly settings: Settings
  /** Returns a notice for the person. Only the first process that asks gets it, and only once. */
  takeNotice(): string | undefined
  close(): void
}
