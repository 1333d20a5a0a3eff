import type { EvalRunCreated } from '../../api/contract/runs.ts'
import type { CaseSnapshot } from '../evals/types.ts'
import type { ServiceContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { TrialRow } from './trial-rows.ts'
import { every } from '../../lib/clock.ts'
import { ServiceError } from '../core/errors.ts'
import type { CaseSelection, RunPlan, RunRow } from './rows.ts'
import { writeWherePossible } from '../core/database/storage-problem.ts'
import type { Store } from '../core/database/store.ts'
import { ExecutionLost, type Executor, type RunExecution } from './executor.ts'
import { guarded, type Lease, isAbandoned, leaseEnd, releaseLease, RENEW_EVERY_MS, takeLease } from '../core/lease.ts'
import { endRun } from './settlement.ts'

export type RunEngineOptions = { store: Store; executor: Executor; onError: (error: unknown) => void }

/** A launched run with everything that its execution needs. */
export type RunLaunch = Omit<RunExecution, 'runId'> & { run: RunRow & { lease: Lease } }

/** Starts and ends runs, and holds their leases. Each change of state is stored before the next one begins. */
export type RunEngine = {
  /** Starts the execution of a run that was written with its lease. Returns at once. */
  start(launch: RunLaunch): void
  /** Cancels a run with its unfinished trials. @throws ServiceError `CONFLICT` if it ended in another way */
  cancel(run: RunRow): void
  /** Calls the listener when a run that this process executed is completed, in the transaction that records it. */
  onCompleted(listener: (run: RunRow) => void): void
  /** Settles every run whose process is gone. */
  settleAbandoned(): void
  /** Settles abandoned runs, then calls `work`. Everything that shows runs must read them with this function. */
  read<T>(work: () => T): T
  /** Stops executing runs that are not in progress any more, such as deleted ones. */
  stopDeleted(): void
  /** Resolves when this process executes no run. */
  settle(): Promise<void>
  /** Ends all runs of this process: first their records, in which unfinished trials have the reason, then the work. */
  close(): Promise<void>
}

declare module '../core/context.ts' {
  interface ServiceContext {
    runs: RunEngine
  }
}

/** Milliseconds between two checks whether a run was ended by another process or its lease has to be renewed. */
const WATCH_EVERY_MS = 2000

type Execution = { run: RunLaunch['run']; stop: AbortController; done: Promise<void>; renewedAt: number }

export function createRunEngine({ store, executor, onError }: RunEngineOptions): RunEngine {
  const executions = new Map<string, Execution>()
  const listeners: ((run: RunRow) => void)[] = []
  let endWatch: (() => void) | undefined

  const stopEnded = () => {
    for (const [id, { stop }] of executions) if (!isInFlight(store, id)) stop.abort()
  }

  const renewOrStop = () => {
    stopEnded()
    const now = Date.now()
    for (const [id, execution] of executions) {
      if (now - execution.renewedAt < RENEW_EVERY_MS) continue
      execution.renewedAt = now
      const { token } = execution.run.lease
      if (!store.write(() => store.runs.renew(id, token, leaseEnd()))) execution.stop.abort()
    }
  }

  /** Executes the trials of a run and settles it. Never rejects. */
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
      // The run remains in progress without a lease, so the next reading of runs settles it.
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
    endWatch ??= every(WATCH_EVERY_MS, guarded(renewOrStop, onError))
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
    read(work) {
      settleAbandoned()
      return store.read(work)
    },
    stopDeleted: stopEnded,
    settle,
    async close() {
      for (const { run, stop } of executions.values()) {
        try {
          store.write(() => endRun(store, run, processEnded(run.lease)))
        } catch (error) {
          // The next reading of runs settles the run, since its lease ends with the execution.
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

export type LaunchReply = EvalRunCreated & { environment: NonNullable<EvalRunCreated['environment']> | null }

/** A run that was written. `launch` is absent if the request repeats an earlier one, whose run was launched already. */
export type Prepared = { reply: LaunchReply; launch?: RunLaunch }

export type NewRun = {
  fields: Pick<RunRow, 'suiteId' | 'suiteName' | 'modelSource' | 'notes' | 'groupId' | 'rerunOf'>
  plan: RunPlan
  cases: CaseSnapshot[]
  servers: ServerRow[]
}

/**
 * Writes a run in one transaction. From then on the run counts against the limit on runs, and waits for {@link
 * beginRun}.
 */
export function commitRun(context: ServiceContext, prepareRun: () => Prepared): Prepared {
  let launch: RunLaunch | undefined
  try {
    return context.store.write(() => {
      const prepared = prepareRun()
      launch = prepared.launch
      return prepared
    })
  } catch (error) {
    releaseLease(launch?.run.lease)
    throw error
  }
}

/** Starts a run whose transaction was committed. A run that was rolled back must not execute trials. */
export function beginRun(context: ServiceContext, { reply, launch }: Prepared): LaunchReply {
  if (!launch) return reply
  try {
    context.runs.start(launch)
  } catch (error) {
    releaseLease(launch.run.lease)
    throw error
  }
  return { ...reply, status: 'running' }
}

/** Writes a run with its trials if the limit on runs allows it. The transaction includes the counting of runs. */
export function insertRun(
  context: ServiceContext,
  project: ProjectRow,
  { fields, plan, cases, servers }: NewRun,
): Prepared {
  const { store, targets } = context
  requireSlot(context, project, plan.slotId)
  const run = {
    id: newId('run'),
    projectId: project.id,
    organizationId: project.organizationId,
    number: store.runs.nextNumber(fields.suiteId),
    status: 'pending',
    result: null,
    source: 'api',
    ...fields,
    plan: { ...plan, selection: selectionOf(store, fields.suiteId, cases) },
    createdAt: Date.now(),
    lease: takeLease(),
  } satisfies RunRow
  store.runs.insert(run, cases)
  store.trials.insert(trialsOf(run.id, cases))
  const reply: LaunchReply = {
    runId: run.id,
    suiteId: run.suiteId,
    status: run.status,
    ...(fields.groupId !== undefined && { runGroupId: fields.groupId }),
    servers: plan.servers,
    caseUpsert: { committed: [], failed: [] },
    environment: plan.environment ?? null,
  }
  return { reply, launch: { run, targets: servers.map(targets.of) } }
}

/** Returns how many cases of the suite a run has. A repeated run may have cases that were deleted from the suite. */
function selectionOf(store: Store, suiteId: string, cases: readonly CaseSnapshot[]): CaseSelection {
  const selected = new Set(cases.map(({ caseId }) => caseId))
  const all = new Set([...selected, ...store.cases.list(suiteId).map(({ id }) => id)])
  return { selectedCaseCount: selected.size, totalCaseCount: all.size }
}

/**
 * Checks the limit on concurrent runs. Runs of one group count as one. @throws ServiceError `RATE_LIMITED`
 * (`CONCURRENT_RUN_LIMIT`)
 */
export function requireSlot({ store, limits }: ServiceContext, project: ProjectRow, slotId: string | undefined): void {
  // Runs that another program executes do not count against the limit.
  const running = store.runs.inFlight(project.organizationId).filter(({ source }) => source !== 'sdk')
  const slots = new Set(running.map(({ id, plan }) => plan.slotId ?? id))
  const limit = limits.number(project.organizationId, 'concurrentRuns')
  if (slots.size < limit || (slotId !== undefined && slots.has(slotId))) return
  throw new ServiceError('RATE_LIMITED', `${slots.size} runs are in flight, which is the limit.`, {
    details: { reason: 'CONCURRENT_RUN_LIMIT', limit, activeRunIds: running.map(({ id }) => id) },
  })
}

function trialsOf(runId: string, cases: readonly CaseSnapshot[]): TrialRow[] {
  const planned = cases.flatMap(({ iterations, caseId, title }, casePosition) =>
    Array.from({ length: iterations }, (_, index) => ({ casePosition, iterationNumber: index + 1, caseId, title })),
  )
  return planned.map((place, position) => ({
    id: newId('itr'),
    runId,
    position,
    ...place,
    status: 'pending',
    class: 'pending',
    result: null,
    error: null,
    startedAt: null,
    durationMs: null,
    tokensUsed: null,
  }))
}
