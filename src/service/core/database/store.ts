import type { Cursors } from './cursors.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Settings } from './rows.ts'

/** The workspace's records. Calls are synchronous; what belongs together runs inside one `write`. */
export interface Store {
  /** Undefined for a workspace in memory. */
  readonly directory: DataDirectory | undefined
  /** One transaction, begun before the first read so that nothing changes in between. */
  write<T>(work: () => T): T
  /** One consistent view over several reads. */
  read<T>(work: () => T): T
  /** Names the state of the records, see `Database`; undefined inside a `write`. */
  state(): string | undefined
  readonly cursors: Cursors
  readonly settings: Settings
  /** A notice for the person, returned once, to the process that asks first. */
  takeNotice(): string | undefined
  close(): void
}
