import { hostname } from 'node:os'
import type { Store } from '../core/database/store.ts'

/** Something that a process executes: a run, or a job by its kind. */
export type Executing = { kind: string; subjectId: string }

/** Whether a server connection is to be tried again soon, by whichever process is there. */
export function awaitsRetry(store: Store): boolean {
  return store.serverConnections.open().some(({ dueAt }) => dueAt !== null)
}

/** What a process of this machine executes in the workspace, without the worker's own presence. */
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
