import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../lib/files/make-directory.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createSeen, listsToKeep, type Seen, type SeenList } from '../domain/seen/seen.ts'

const VERSION = 1
/** Acknowledged rows are written this much later, in milliseconds: several at once are one write. */
const WRITE_MS = 1_000

type KeptList = { name: string; at: number; whole: boolean; rows: [id: string, mark: string][] }

/**
 * What was seen, kept in a file for its owner only. It is read when it is first asked for; a file that is missing, broken or of
 * another version is as if nothing was seen. Two processes keep what each of them looked at.
 */
export function openSeen(options: {
  file: string
  onFault: (error: unknown) => void
  clock?: Clock
}): Seen & { close: () => void } {
  const { file, onFault, clock = systemClock } = options
  let cancel: (() => void) | undefined
  let opened: ReturnType<typeof createSeen> | undefined
  const write = (): void => {
    cancel?.()
    cancel = undefined
    try {
      const others = [...readSeen(file)].filter(([name]) => !touched.has(name))
      writeSeen(file, new Map([...others, ...seen().lists()]))
    } catch (error) {
      onFault(error)
    }
  }
  const touched = new Set<string>()
  const seen = () =>
    (opened ??= createSeen({
      kept: readSeen(file),
      clock,
      keep: () => {
        cancel ??= clock.after(WRITE_MS, write)
      },
    }))
  return {
    of: list => seen().of(list),
    show(list, rows) {
      touched.add(list)
      seen().show(list, rows)
    },
    acknowledge(list, rows) {
      touched.add(list)
      seen().acknowledge(list, rows)
    },
    stay: () => seen().stay(),
    endLook: () => seen().endLook(),
    subscribe: listener => seen().subscribe(listener),
    version: () => seen().version(),
    close() {
      opened?.endLook()
      if (cancel) write()
    },
  }
}

function readSeen(file: string): Map<string, SeenList> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { version: unknown; lists: KeptList[] }
    if (kept.version !== VERSION) return new Map()
    return new Map(
      kept.lists
        .filter(isKeptList)
        .map(({ name, at, whole, rows }) => [name, { at, whole, rows: new Map(rows) }]),
    )
  } catch {
    return new Map()
  }
}

function isKeptList({ name, at, whole, rows }: KeptList): boolean {
  const isPair = (row: unknown): boolean => Array.isArray(row) && row.every(part => typeof part === 'string')
  return (
    typeof name === 'string' &&
    typeof at === 'number' &&
    typeof whole === 'boolean' &&
    Array.isArray(rows) &&
    rows.every(isPair)
  )
}

function writeSeen(file: string, lists: ReadonlyMap<string, SeenList>): void {
  makeDirectory(dirname(file))
  const fresh = `${file}.${process.pid}`
  const kept = listsToKeep(lists).map(([name, { at, whole, rows }]): KeptList => ({
    name,
    at,
    whole,
    rows: [...rows],
  }))
  try {
    writeFileSync(fresh, JSON.stringify({ version: VERSION, lists: kept }), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
