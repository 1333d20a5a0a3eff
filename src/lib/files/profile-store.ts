import { createListeners } from '../listeners.ts'
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from './read-regular.ts'
import { withLock } from './with-lock.ts'
import { writeForOwner } from './write-atomically.ts'

/** A value that is stored for each profile, and the format of its file. */
export type ProfileKey<T> = {
  /** Beginning of the file name. */
  name: string
  /**
   * Version written in the file. A file with an older version counts as damaged; a file with a newer one is not
   * changed. Absent for files without a version.
   */
  version?: number
  /** The value if nothing is stored, or if the file is damaged. */
  empty: T
  /** Converts parsed file content to a value; undefined if it is damaged. It may leave out damaged parts. */
  read: (stored: Readonly<Record<string, unknown>>) => T | undefined
  /** Converts a value to what is written as JSON together with the version. */
  write: (value: T) => object
  /** Set for data that cannot be recreated: throws these errors instead of losing a value. */
  irreplaceable?: { unreadable: (file: string) => Error; unwritable: (file: string, cause: unknown) => Error }
}

/** The value of a key, shared by all processes. */
export type Stored<T> = {
  /** Returns the same object until something changes. The first call reads the file. */
  get(): T
  /** Reads what other processes have written since. */
  refresh(): void
  /** Changes the stored value. On return it is written, or the failure is reported. */
  change(edit: (value: T) => T): void
  /**
   * Like `change`, but writes within a second, so that several changes need one write. Only the last given edit is
   * applied.
   */
  changeSoon(edit: (value: T) => T): void
  /** Writes at once what `changeSoon` delayed. */
  flush(): void
  subscribe(listener: () => void): () => void
  /** Returns a number that increases whenever `get` may return something else. */
  version(): number
}

/** Opens a stored value of one profile. */
export type ProfileStore = <T>(key: ProfileKey<T>) => Stored<T>

type Timers = { after: (ms: number, run: () => void) => () => void }
type Options = {
  /** Called with the reason if a value was not written. The value is kept until the program ends. */
  onFault: (error: unknown) => void
  clock: Timers
}

/** The value in a file, and whether the file is unusable because it is damaged or of a newer version. */
type Found<T> = { value: T; unusable?: 'damaged' | 'newer' | undefined }

const SOON_MS = 1_000

/**
 * Opens the stored values of a profile: one file for each key, readable only by the owner.
 * @param options.profile distinguishes profiles in file names; must not be a secret
 */
export function openProfileStore(options: Options & { directory: string; profile: string }): ProfileStore {
  const { directory, profile } = options
  return key => openStored(join(directory, `${key.name}-${profile}.json`), key, options)
}

/**
 * Opens a value in a file that several processes may change, one at a time, each from the file's current content. A
 * damaged file counts as empty and is renamed before it is replaced. A file of a newer version counts as empty and is
 * kept; changes then last as long as this process.
 */
export function openStored<T>(file: string, key: ProfileKey<T>, { onFault, clock }: Options): Stored<T> {
  const { irreplaceable } = key
  const unwritable = (error: unknown): unknown => irreplaceable?.unwritable(file, error) ?? error
  return createStored({
    clock,
    stamp: () => stampOf(file),
    read() {
      const found = readStored(file, key)
      if (found.unusable === 'newer' && irreplaceable) throw newer(file)
      if (found.unusable && irreplaceable) throw irreplaceable.unreadable(file)
      return found
    },
    write(value, { unusable }) {
      try {
        if (unusable === 'newer') throw newer(file)
        if (unusable) renameSync(file, `${file}.damaged`)
        writeForOwner(file, JSON.stringify({ version: key.version, ...key.write(value) }))
      } catch (error) {
        if (irreplaceable) throw unwritable(error)
        onFault(error)
      }
    },
    alone(work) {
      withLock(`${file}.lock`, work, error => {
        if (irreplaceable) throw unwritable(error)
        // The change is made without a lock, which may lose one of another process. The write reports its own failure.
        work()
      })
    },
  })
}

/** Returns a value that is lost when the program ends. */
export function storedInMemory<T>(key: Pick<ProfileKey<T>, 'empty'>, first = key.empty): Stored<T> {
  let value = first
  return createStored({
    clock: {
      after(_, run) {
        run()
        return () => undefined
      },
    },
    stamp: () => '',
    read: () => ({ value }),
    write: next => void (value = next),
    alone: work => work(),
  })
}

function createStored<T>(source: {
  clock: Timers
  read: () => Found<T>
  write: (value: T, before: Found<T>) => void
  /** Runs a change while no other process makes one. */
  alone: (work: () => void) => void
  /** Returns a text that changes whenever `read` may return something else. */
  stamp: () => string
}): Stored<T> {
  const { clock, read, write, alone, stamp } = source
  const { subscribe, notify: changed, version } = createListeners()
  let known: { value: T } | undefined
  let seen = ''
  let pending: { edit: (value: T) => T; cancel: () => void } | undefined
  const change = (edit: (value: T) => T): void => {
    alone(() => {
      const before = read()
      const value = edit(before.unusable === 'newer' && known ? known.value : before.value)
      write(value, before)
      seen = stamp()
      known = { value }
    })
    changed()
  }
  const flush = (): void => {
    const due = pending
    pending = undefined
    due?.cancel()
    if (due) change(due.edit)
  }
  return {
    get() {
      if (!known) {
        seen = stamp()
        known = { value: read().value }
      }
      return known.value
    },
    refresh() {
      const now = stamp()
      if (now === seen) return
      seen = now
      known = undefined
      changed()
    },
    change,
    changeSoon(edit) {
      if (pending) pending.edit = edit
      else {
        pending = { edit, cancel: () => undefined }
        const cancel = clock.after(SOON_MS, flush)
        if (pending) pending.cancel = cancel
      }
    },
    flush,
    subscribe,
    version,
  }
}

function readStored<T>(file: string, key: ProfileKey<T>): Found<T> {
  const stored = parsed(file)
  if (Number(stored?.['version']) > (key.version ?? 0)) return { value: key.empty, unusable: 'newer' }
  const value =
    stored && (key.version === undefined || stored['version'] === key.version) ? key.read(stored) : undefined
  if (value !== undefined) return { value }
  return { value: key.empty, unusable: stampOf(file) === '' ? undefined : 'damaged' }
}

function newer(file: string): Error {
  return new Error(`${file} was written by a newer version of mcpdeck and stays as it is; install that version again.`)
}

/** Returns the object in a file; undefined if there is no file, or none with an object that can be read. */
function parsed(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file, Infinity))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a text that changes whenever an atomically written file is written again or removed; empty if there is no
 * file.
 */
function stampOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
  } catch {
    return ''
  }
}
