import { hostname } from 'node:os'
import type { Store } from '../core/database/store.ts'

/** Something that a process executes: a run, or a job with its kind. */
export type Executing = { kind: string; subjectId: string }

/** Whether another attempt to connect a server is planned, by any running process. */
export function awaitsRetry(store: Store): boolean {
  return store.serverConnections.open().some(({ dueAt }) => dueAt !== null)
}

/** Returns what a process of this machine is executing in the workspace. The worker itself does not count. */
export function executingIn(store: Store, pid: number): Executing[] {
  const isIts = (lease: { pid: number; host: string } | undefined) => lease?.pid === pid && lease.host === hostname()
  return [
    ...store.runs
      .inFlight()
      .filter(({ lease }) => isIts(lease))
      .map(({ id }) => ({ kind: 'run', subjectId: id })),
    ...store.jobs
      .list()
      .filter(row => row.kind !== 'worker' && isIts(row))
      .map(({ kind, subjectId }) => ({ kind, subjectId })),
  ]
}
