import { every } from '../../lib/clock.ts'
import { ServiceError } from '../core/errors.ts'
import type { RunRow } from './rows.ts'
import { writeWherePossible } from '../core/database/storage-problem.ts'
import type { Store } from '../core/database/store.ts'
import { ExecutionLost, type Executor, type RunExecution } from './executor.ts'
import { type Lease, isAbandoned, leaseEnd, releaseLease, RENEW_EVERY_MS } from '../core/lease.ts'
import { endRun } from './settlement.ts'

export type RunEngineOptions = {
  store: Store
  /** Where trials are executed; the engine closes it. */
  executor: Executor
  onError: (error: unknown) => void
}

/** A run as it was launched, with what its execution needs beside it. */
export type RunLaunch = Omit<RunExecution, 'runId'> & { run: RunRow & { lease: Lease } }

/** Begins and ends runs and holds their leases; every change of state is in the store before the next one happens. */
export type RunEngine = {
  /** Begins at once and returns; the run was written with its lease before. */
  start(launch: RunLaunch): void
  /**
   * Ends a run and its unfinished trials as cancelled; a cancelled one stays as it is.
   * @throws ServiceError `CONFLICT` when the run has ended otherwise
   */
  cancel(run: RunRow): void
  /**
   * Tells of every run that completes here, inside the transaction that ends it; runs that were cancelled or that their
   * process left behind are not reported.
   */
  onCompleted(listener: (run: RunRow) => void): void
  /** Settles every run whose process is gone. */
  settleAbandoned(): void
  /** Stops executing runs that are no longer in the store. */
  stopDeleted(): void
  /** Resolves when no run is executing here. */
  settle(): Promise<void>
  /** Ends what is executing here, in the store before it returns; unfinished trials say that the process ended. */
  close(): Promise<void>
}

declare module '../core/context.ts' {
  interface ServiceContext {
    runs: RunEngine
  }
}

/** How often an executing run looks whether another process ended it, in milliseconds. */
const WATCH_EVERY_MS = 2000

type Execution = { run: RunLaunch['run']; stop: AbortController; done: Promise<void>; renewedAt: number }

export function createRunEngine({ store, executor, onError }: RunEngineOptions): RunEngine {
  const executions = new Map<string, Execution>()
  const listeners: ((run: RunRow) => void)[] = []
  let endWatch: (() => void) | undefined

  const stopEnded = () => {
    for (const [id, { stop }] of executions) if (!isInFlight(store, id)) stop.abort()
  }

  const look = () => {
    stopEnded()
    const now = Date.now()
    for (const [id, execution] of executions) {
      if (now - execution.renewedAt < RENEW_EVERY_MS) continue
      execution.renewedAt = now
      const { token } = execution.run.lease
      if (!store.write(() => store.runs.renew(id, token, leaseEnd()))) execution.stop.abort()
    }
  }
  const guardedLook = () => {
    try {
      look()
    } catch (error) {
      // A busy database is asked again at the next look; until the lease ends nothing is lost.
      onError(error)
    }
  }

  /** Has the trials executed and settles the run; never rejects. */
  const execute = async ({ run, ...needs }: RunLaunch, signal: AbortSignal) => {
    let unfinished = 'The service could not record the trial.'
    try {
      await executor.execute({ runId: run.id, ...needs }, signal)
    } catch (error) {
      if (error instanceof ExecutionLost) unfinished = error.message
      onError(error)
    }
    try {
      store.write(() => {
        const isCompleted = endRun(store, run, { executionFailed: unfinished })
        if (isCompleted) for (const listener of listeners) listener(run)
      })
    } catch (error) {
      // The run stays in flight without a lease, so the next look at it settles it.
      onError(error)
    }
  }

  const start = (launch: RunLaunch) => {
    const { run } = launch
    store.write(() => store.runs.begin(run.id, Date.now()))
    const stop = new AbortController()
    const done = execute(launch, stop.signal).finally(() => {
      executions.delete(run.id)
      releaseLease(run.lease)
      if (executions.size > 0) return
      endWatch?.()
      endWatch = undefined
    })
    executions.set(run.id, { run, stop, done, renewedAt: Date.now() })
    endWatch ??= every(WATCH_EVERY_MS, guardedLook)
  }

  const settleAbandoned = () => {
    if (!store.runs.leasesInFlight().some(isAbandoned)) return
    writeWherePossible(() =>
      store.write(() => {
        for (const run of store.runs.inFlight()) if (isAbandoned(run.lease)) endRun(store, run, processEnded(run.lease))
      }),
    )
  }

  const settle = async () => {
    while (executions.size > 0) await Promise.all([...executions.values()].map(({ done }) => done))
  }

  return {
    start,
    cancel(run) {
      store.write(() => {
        const current = store.runs.get(run.projectId, run.id)
        if (!current || current.status === 'cancelled') return
        if (!isInFlight(store, run.id))
          throw new ServiceError('CONFLICT', `The run has ended already (${current.status}).`, {
            details: { status: current.status },
          })
        endRun(store, current, 'cancelled')
      })
      executions.get(run.id)?.stop.abort()
    },
    onCompleted: listener => void listeners.push(listener),
    settleAbandoned,
    stopDeleted: stopEnded,
    settle,
    async close() {
      for (const { run, stop } of executions.values()) {
        try {
          store.write(() => endRun(store, run, processEnded(run.lease)))
        } catch (error) {
          // Whoever looks next settles the run, since its lease ends with the execution.
          onError(error)
        }
        stop.abort()
      }
      await executor.close()
      await settle()
    },
  }
}

function isInFlight(store: Store, runId: string): boolean {
  const status = store.runs.status(runId)
  return status === 'pending' || status === 'running'
}

function processEnded(lease: Lease | undefined) {
  const who = lease ? `The process that ran it (${lease.pid} on ${lease.host})` : 'The process that ran it'
  return { executionFailed: `${who} ended before the trial did.` }
}
