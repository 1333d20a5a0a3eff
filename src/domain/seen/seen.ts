import { createListeners } from '../../lib/listeners.ts'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'

/** The difference between a row and what the person last saw of it. */
export type News = 'new' | 'changed'

export type SeenList = {
  /** Epoch milliseconds at which the last look at the list ended. */
  at: number
  /** Whether `rows` contains every row that was shown, so that another row is news. */
  whole: boolean
  /** Marks of the rows' content, by id. */
  rows: ReadonlyMap<string, string>
}

/** A row for comparison: its id, the mark of its content, and when the thing was created, if known. */
export type SeenRow = { id: string; mark: string; bornAt?: number | undefined }

/**
 * Records what a person has seen of lists. A look begins with the program, or with the first key after a pause. It ends
 * with the program, or if no key was pressed for {@link REST_MS}. Everything on screen during a look counts as seen
 * from then on.
 */
export type Seen = {
  /**
   * Returns what earlier looks saw of a list, including what was acknowledged since; undefined before the first look
   * has ended.
   */
  of(list: string): SeenList | undefined
  /**
   * Records the list as it is on screen.
   * @param whole whether these are all rows, so that other seen rows were deleted
   */
  show(list: string, rows: readonly SeenRow[], whole?: boolean): void
  /** Records that these rows are not news until they change. */
  acknowledge(list: string, rows: readonly SeenRow[]): void
  /** Must be called when a key was pressed, since it shows that the person is there. */
  stay(): void
  /** Ends the look. What was on screen since the last one counts as seen. */
  endLook(): void
  subscribe(listener: () => void): () => void
  /** Returns a number that changes whenever `of` may return something else. */
  version(): number
  /** Ends the look, and writes at once what is to be stored. */
  close(): void
}

/** News of a list since the person last saw it. */
export type ListNews = {
  /** News by row key, without unchanged rows. */
  news: ReadonlyMap<string, News>
  /**
   * Epoch milliseconds at which the last look ended; undefined before the first has ended, and then nothing is news.
   */
  lookedAt: number | undefined
  /** Number of rows that were removed since; 0 if the list was not read completely. */
  gone: number
  /** Removes rows from the news until they change. */
  acknowledge: (keys: readonly string[]) => void
}

/** Milliseconds without a key after which a look ends. */
export const REST_MS = 10 * 60_000
/** Maximum number of stored rows, of one list and in total. */
const MAX_ROWS = BOUNDS.seenRows.most
const MAX_ALL_ROWS = BOUNDS.seenAllRows.most
const MAX_LISTS = BOUNDS.seenLists.most
/** Maximum length of ids and names of lists, in characters. Longer ones are not stored. */
const MAX_NAME = BOUNDS.seenName.most
/** Maximum difference between the clocks of the service and of this machine, in milliseconds. */
const SKEW_MS = 10 * 60_000

type StoredList = { name: string; at: number; whole: boolean; rows: [id: string, mark: string][] }

export const seenKey: ProfileKey<ReadonlyMap<string, SeenList>> = {
  name: 'seen',
  version: 1,
  empty: new Map(),
  read: ({ lists }) =>
    Array.isArray(lists)
      ? new Map(
          lists
            .filter(isStored)
            .map(({ name, at, whole, rows }) => [name, { at, whole, rows: new Map(rows) }] as const),
        )
      : undefined,
  write: lists => ({
    lists: [...lists].map(([name, { at, whole, rows }]): StoredList => ({ name, at, whole, rows: [...rows] })),
  }),
}

function isStored(value: unknown): value is StoredList {
  const { name, at, whole, rows } = Object(value) as Partial<StoredList>
  const isPair = (row: unknown): boolean => Array.isArray(row) && row.every(part => typeof part === 'string')
  return (
    typeof name === 'string' &&
    typeof at === 'number' &&
    typeof whole === 'boolean' &&
    Array.isArray(rows) &&
    rows.every(isPair)
  )
}

/** Returns a mark of seven characters that shows whether a row has changed: FNV-1a over UTF-16 units. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}

/**
 * Returns the rows that are new or have changed since they were seen. Before the first look nothing is news. In a list
 * that is read in parts, a row created before the last look is an old one that was not read then.
 */
export function newsOf(before: SeenList | undefined, rows: readonly SeenRow[]): ReadonlyMap<string, News> {
  const news = new Map<string, News>()
  if (!before) return news
  for (const { id, mark, bornAt } of rows) {
    const seen = before.rows.get(id)
    if (seen === mark) continue
    if (seen !== undefined) news.set(id, 'changed')
    else if (bornAt === undefined ? before.whole : bornAt > before.at - SKEW_MS) news.set(id, 'new')
  }
  return news
}

/**
 * Creates the record of seen lists. Lists that this process showed or acknowledged replace those that other processes
 * stored; others are kept.
 */
export function createSeen({
  stored = storedInMemory(seenKey),
  clock,
}: {
  stored?: Stored<ReadonlyMap<string, SeenList>>
  clock: Clock
}): Seen {
  let known: Map<string, SeenList> | undefined
  const lists = (): Map<string, SeenList> => (known ??= new Map(stored.get()))
  const touched = new Set<string>()
  const shown = new Map<string, { rows: readonly SeenRow[]; whole: boolean }>()
  const { subscribe, notify, version } = createListeners()
  let cancel: (() => void) | undefined
  const changed = (): void => {
    stored.changeSoon(before => {
      const own = [...lists()].filter(([name]) => touched.has(name))
      return new Map(listsToStore(new Map([...before, ...own])))
    })
    notify()
  }
  const endLook = (): void => {
    cancel?.()
    cancel = undefined
    if (shown.size === 0) return
    const at = clock.now()
    for (const [name, { rows, whole }] of shown) {
      touched.add(name)
      lists().set(name, seenNow(whole ? undefined : lists().get(name), rows, at))
    }
    shown.clear()
    changed()
  }
  return {
    of: list => lists().get(list),
    show(list, rows, whole = false) {
      if (list.length <= MAX_NAME) shown.set(list, { rows, whole })
    },
    acknowledge(list, rows) {
      const seen = lists().get(list)
      if (!seen) return
      touched.add(list)
      lists().set(list, { ...seen, rows: merged(rows, seen.rows) })
      changed()
    },
    stay() {
      cancel?.()
      cancel = clock.after(REST_MS, endLook)
    },
    endLook,
    subscribe,
    version,
    close() {
      endLook()
      stored.flush()
    },
  }
}

function seenNow(before: SeenList | undefined, rows: readonly SeenRow[], at: number): SeenList {
  const whole = rows.length <= MAX_ROWS && rows.every(isStorable)
  return { at, whole, rows: merged(rows, before?.rows ?? new Map()) }
}

function isStorable({ id }: SeenRow): boolean {
  return id.length <= MAX_NAME
}

/** Returns the rows, then rows of earlier looks that were not read this time, within the limit. */
function merged(rows: readonly SeenRow[], earlier: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const stored = new Map(rows.filter(isStorable).map(({ id, mark }) => [id, mark]))
  for (const [id, mark] of earlier) if (!stored.has(id)) stored.set(id, mark)
  return new Map([...stored].slice(0, MAX_ROWS))
}

/** Returns the lists worth storing, most recently seen first, within a limit. */
export function listsToStore(lists: ReadonlyMap<string, SeenList>): [name: string, list: SeenList][] {
  let room = MAX_ALL_ROWS
  return [...lists]
    .sort(([, one], [, other]) => other.at - one.at)
    .slice(0, MAX_LISTS)
    .filter(([, list]) => {
      room -= list.rows.size
      return room >= 0
    })
}
