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
  /** Not work itself: marks that the worker of the workspace is running. */
  | 'worker'

/** Ends the record of work that did not finish. Runs inside a transaction. */
type EndUnfinished = (subjectId: string, why: string) => void

/**
 * Work that continues after its request was answered. `start` is called once a pending record is written, and the work
 * completes the record.
 */
export type Jobs = {
  /** Defines how a record of this kind ends if its work fails or its process is gone. */
  define(kind: JobKind, endUnfinished: EndUnfinished): void
  /**
   * Starts work after the caller's transaction, unless the transaction is rolled back. The work records its own end. If
   * it rejects, `endUnfinished` of its kind does so.
   * @returns false if the subject already has such work
   */
  start(kind: JobKind, subjectId: string, work: (signal: AbortSignal) => Promise<void>): boolean
  /** Stops work, even in another process, and does not end its record. Returns false if there was no such work. */
  stop(kind: JobKind, subjectId: string): boolean
  isUnderWay(kind: JobKind, subjectId: string): boolean
  /** Ends every record whose process is gone. Does nothing if the database cannot be written. */
  settleAbandoned(): void
  /** Calls `settleAbandoned`, then `work`. Everything that shows such records must read them with this function. */
  read<T>(work: () => T): T
  /** Resolves when this process has no more work in progress. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds between two checks whether another process stopped the work. */
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
    // The caller's transaction has ended when the event loop runs next.
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
