import { createListeners } from '../listeners.ts'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from './make-directory.ts'
import { readRegularFile } from './read-regular.ts'
import { writeForOwner } from './write-atomically.ts'

/** Something that is stored for each profile, and how it lies in its file. */
export type ProfileKey<T> = {
  /** Begins the name of the file. */
  name: string
  /** Stands in the file; an older one is damaged, a newer one stays as it is. Absent where the file has none. */
  version?: number
  /** The value before anything was stored, and where the file is damaged. */
  empty: T
  /** The value of what was parsed from a file; undefined where it is damaged. May leave out damaged parts. */
  read: (stored: Readonly<Record<string, unknown>>) => T | undefined
  /** What is written as JSON, beside the version. */
  write: (value: T) => object
  /** For what nobody can make again: these are thrown instead of a value that is lost. */
  irreplaceable?: { unreadable: (file: string) => Error; unwritable: (file: string, cause: unknown) => Error }
}

/** The value under a key, shared by all processes. */
export type Stored<T> = {
  /** Returns the same object until something changes. The first call reads the file. */
  get(): T
  /** Takes over what other processes wrote since. */
  refresh(): void
  /** Changes what is stored at this moment; it is written when this returns, or the fault is reported. */
  change(edit: (value: T) => T): void
  /** The same within a second, so that several changes are one write; only the last one given is done. */
  changeSoon(edit: (value: T) => T): void
  /** Does at once what `changeSoon` put off. */
  flush(): void
  subscribe(listener: () => void): () => void
  /** Increases whenever `get` may return something else. */
  version(): number
}

/** Opens the values of one profile. */
export type ProfileStore = <T>(key: ProfileKey<T>) => Stored<T>

type Timers = { after: (ms: number, run: () => void) => () => void }
type Options = {
  /** Hears why something was not written; the value stays as it is until the program ends. */
  onFault: (error: unknown) => void
  clock: Timers
}

/** What a file holds now, and whether it is there but cannot be used, because it is damaged or of a newer version. */
type Found<T> = { value: T; unusable?: 'damaged' | 'newer' | undefined }

const SOON_MS = 1_000
/** Longest wait for another process, whose change takes milliseconds. */
const PATIENCE_MS = 2_000

/**
 * What is stored per profile: a file for each key, for its owner only.
 * @param options.profile distinguishes profiles in names of files; must not be a secret
 */
export function openProfileStore(options: Options & { directory: string; profile: string }): ProfileStore {
  const { directory, profile } = options
  return key => openStored(join(directory, `${key.name}-${profile}.json`), key, options)
}

/**
 * A value in a file that several processes may change: one at a time, each to what the file holds then. A damaged file
 * counts as empty and is put aside before another takes its place. One of a newer version counts as empty and stays:
 * what is changed then lasts as long as this process.
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
      let begun = false
      try {
        withLock(file, () => {
          begun = true
          work()
        })
      } catch (error) {
        if (begun || irreplaceable) throw begun ? error : unwritable(error)
        // Where there can be no lock, the write reports the fault.
        work()
      }
    },
  })
}

/** A value that ends with the program. */
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
  /** Does a change while no other process does. */
  alone: (work: () => void) => void
  /** Changes whenever `read` may return something else. */
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

/** The object in a file; undefined where there is none. */
function parsed(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file, Infinity))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Changes whenever a file that is written whole is written again or taken away; empty where there is none. */
function stampOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
  } catch {
    return ''
  }
}

/**
 * Does work on a file while no other process does. The lock is a database beside the file: the system frees it with its
 * process, however that ends.
 * @throws where there can be no lock, or the other process holds it too long
 */
function withLock(file: string, work: () => void): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  makeDirectory(dirname(file))
  closeSync(openSync(`${file}.lock`, 'a', 0o600))
  const lock = new DatabaseSync(`${file}.lock`, { timeout: PATIENCE_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    work()
  } finally {
    lock.close()
  }
}
