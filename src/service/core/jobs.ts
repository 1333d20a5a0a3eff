import { every } from '../../lib/clock.ts'
import { messageOf } from './one-line.ts'
import { guarded, isAbandoned, leaseEnd, releaseLease, RENEW_EVERY_MS, takeLease } from './lease.ts'
import type { JobRow } from './database/rows.ts'
import { writeWherePossible } from './database/storage-problem.ts'
import type { Store } from './database/store.ts'

export type JobKind =
  | 'judge'
  | 'run-insights'
  | 'journey-run'
  | 'wave-insights'
  | 'window-insights'
  | 'server-connection'
  | 'readiness'
  /** Marks that the workspace's worker is running; it is not work itself. */
  | 'worker'

/** Ends the record of unfinished work. Runs inside a transaction. */
type EndUnfinished = (subjectId: string, why: string) => void

/** Work that continues after its request. `start` writes a pending record, which a later check completes. */
export type Jobs = {
  /** Defines how records of a kind end if their work fails or its process is gone. */
  define(kind: JobKind, endUnfinished: EndUnfinished): void
  /**
   * Starts work after the caller's transaction, unless that is rolled back. The work records its own end; if it
   * rejects, the kind's `endUnfinished` does.
   * @returns false if the subject already has such work
   */
  start(kind: JobKind, subjectId: string, work: (signal: AbortSignal) => Promise<void>): boolean
  /** Stops work in whichever process it runs, without ending its record. Returns false if there was none. */
  stop(kind: JobKind, subjectId: string): boolean
  isUnderWay(kind: JobKind, subjectId: string): boolean
  /** Ends every record whose process is gone, if the database can be written. */
  settleAbandoned(): void
  /** Calls `settleAbandoned`, then reads. Everything that shows such records uses this. */
  read<T>(work: () => T): T
  /** Resolves when this process has no work left. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds between checks whether another process stopped the work. */
const WATCH_EVERY_MS = 2000

type Work = { row: JobRow; stop: AbortController; done: Promise<void>; renewedAt: number }

export function createJobs(store: Store, onError: (error: unknown) => void): Jobs {
  const kinds = new Map<string, EndUnfinished>()
  const underWay = new Map<string, Work>()
  let endWatch: (() => void) | undefined
  let closing = false

  const renewOrStop = () => {
    const now = Date.now()
    for (const work of underWay.values()) {
      const { row, stop } = work
      if (store.jobs.find(row.kind, row.subjectId)?.token !== row.token) stop.abort()
      else if (now - work.renewedAt >= RENEW_EVERY_MS) {
        work.renewedAt = now
        store.write(() => store.jobs.renew(row.token, leaseEnd()))
      }
    }
  }
  const endUnfinished = (row: JobRow, why: string) =>
    store.write(() => {
      if (store.jobs.delete(row.token)) kinds.get(row.kind)?.(row.subjectId, why)
    })

  const execute = async (row: JobRow, stop: AbortController, work: (signal: AbortSignal) => Promise<void>) => {
    // The caller's transaction ends before the next turn of the event loop.
    await new Promise(setImmediate)
    try {
      if (store.jobs.find(row.kind, row.subjectId)?.token !== row.token) return
      if (closing) throw new Error('The process that worked on it is ending.')
      await work(stop.signal)
      store.write(() => store.jobs.delete(row.token))
    } catch (error) {
      const why = closing ? 'The process that worked on it ended.' : messageOf(error)
      guarded(() => endUnfinished(row, why), onError)()
    } finally {
      underWay.delete(row.token)
      releaseLease(row)
      if (underWay.size === 0) {
        endWatch?.()
        endWatch = undefined
      }
    }
  }

  const settleAbandoned = () => {
    if (!store.jobs.list().some(isAbandoned)) return
    writeWherePossible(() =>
      store.write(() => {
        for (const row of store.jobs.list())
          if (isAbandoned(row)) endUnfinished(row, `The process that worked on it (${row.pid} on ${row.host}) ended.`)
      }),
    )
  }

  const settle = async () => {
    while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done))
  }

  return {
    define: (kind, end) => void kinds.set(kind, end),
    start(kind, subjectId, work) {
      const row: JobRow = { kind, subjectId, ...takeLease() }
      if (!store.jobs.insert(row)) {
        releaseLease(row)
        return false
      }
      const stop = new AbortController()
      underWay.set(row.token, { row, stop, done: execute(row, stop, work), renewedAt: Date.now() })
      endWatch ??= every(WATCH_EVERY_MS, guarded(renewOrStop, onError))
      return true
    },
    stop(kind, subjectId) {
      const row = store.jobs.find(kind, subjectId)
      if (!row) return false
      store.write(() => store.jobs.delete(row.token))
      underWay.get(row.token)?.stop.abort()
      return true
    },
    isUnderWay: (kind, subjectId) => store.jobs.find(kind, subjectId) !== undefined,
    settleAbandoned,
    read(work) {
      settleAbandoned()
      return store.read(work)
    },
    settle,
    async close() {
      closing = true
      for (const { stop } of underWay.values()) stop.abort()
      await settle()
    },
  }
}
