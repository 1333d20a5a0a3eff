import { setImmediate } from 'node:timers/promises'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { ServiceError } from '../errors.ts'
import { runTrial } from '../evals/trial.ts'
import type { TrialModels } from '../evals/trial-prompt.ts'
import type { CaseSnapshot, TrialOutcome } from '../evals/types.ts'
import type { ModelSettings } from '../models/settings.ts'
import { createTrialModels } from '../models/trial-models.ts'
import type { RunLease, RunRow } from '../store/runs.ts'
import type { Store } from '../store/store.ts'
import type { TrialRow } from '../store/trials.ts'
import { isAbandoned, leaseEnd, releaseLease, RENEW_EVERY_MS } from './lease.ts'
import { endRun } from './settlement.ts'
import { createTrialServers } from './trial-servers.ts'

export type RunEngineOptions = {
  store: Store
  connections: Connections
  /** Trials of one run that are executed at once. */
  trialConcurrency: number
  /** Whether calls to one server wait for each other, for servers that cannot work in parallel. */
  serialServers: boolean
  /** Longest time of one trial in milliseconds; absent = the trials' own default. */
  trialDeadlineMs?: number | undefined
  /** The endpoint of prompt steps. */
  models: ModelSettings | undefined
  onError: (error: unknown) => void
}

/** A run as it was launched, with everything its execution needs. */
export type RunLaunch = {
  run: RunRow & { lease: RunLease }
  cases: CaseSnapshot[]
  trials: TrialRow[]
  targets: ServerTarget[]
  /** The caller's keys by provider; they live as long as the execution and are written nowhere. */
  modelApiKeys?: Readonly<Record<string, string>>
}

/** Executes runs; every change of state is in the store before the next one happens. */
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
   * process left behind are not told.
   */
  onCompleted(listener: (run: RunRow) => void): void
  /** Settles every run whose process is gone. */
  settleAbandoned(): void
  /** Stops executing runs that are no longer in the store. */
  stopDeleted(): void
  /** Resolves when no run is executing here. */
  settle(): Promise<void>
  /** Ends what is executing here; its unfinished trials say that the process ended. */
  close(): Promise<void>
}

/** How often an executing run looks whether another process ended it, in milliseconds. */
const WATCH_EVERY_MS = 500

type Execution = { launch: RunLaunch; stop: AbortController; done: Promise<void>; renewedAt: number }

export function createRunEngine(options: RunEngineOptions): RunEngine {
  const { store, onError } = options
  const executions = new Map<string, Execution>()
  const listeners: ((run: RunRow) => void)[] = []
  const onCompleted = (run: RunRow) => {
    for (const listener of listeners) listener(run)
  }
  let watch: NodeJS.Timeout | undefined

  const stopEnded = () => {
    for (const [id, { stop }] of executions) if (!isInFlight(store, id)) stop.abort()
  }

  const look = () => {
    stopEnded()
    const now = Date.now()
    for (const [id, execution] of executions) {
      if (now - execution.renewedAt < RENEW_EVERY_MS) continue
      execution.renewedAt = now
      const { token } = execution.launch.run.lease
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

  const start = (launch: RunLaunch) => {
    const { run } = launch
    store.write(() => store.runs.begin(run.id, Date.now()))
    const stop = new AbortController()
    const done = execute(launch, stop, { ...options, onCompleted }).finally(() => {
      executions.delete(run.id)
      releaseLease(run.lease)
      if (executions.size > 0) return
      clearInterval(watch)
      watch = undefined
    })
    executions.set(run.id, { launch, stop, done, renewedAt: Date.now() })
    watch ??= setInterval(guardedLook, WATCH_EVERY_MS).unref()
  }

  const settleAbandoned = () => {
    if (!store.runs.inFlight().some(run => isAbandoned(run.lease))) return
    store.write(() => {
      for (const run of store.runs.inFlight())
        if (isAbandoned(run.lease)) endRun(store, run, processEnded(run.lease))
    })
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
      for (const { launch, stop } of executions.values()) {
        try {
          store.write(() => endRun(store, launch.run, processEnded(launch.run.lease)))
        } catch (error) {
          // Whoever looks next settles the run, since its lease ends with the execution.
          onError(error)
        }
        stop.abort()
      }
      await settle()
    },
  }
}

function isInFlight(store: Store, runId: string): boolean {
  const status = store.runs.status(runId)
  return status === 'pending' || status === 'running'
}

function processEnded(lease: RunLease | undefined) {
  const who = lease ? `The process that ran it (${lease.pid} on ${lease.host})` : 'The process that ran it'
  return { executionFailed: `${who} ended before the trial did.` }
}

/** Runs all trials, a few at a time, and settles the run; never rejects. */
async function execute(
  launch: RunLaunch,
  stop: AbortController,
  options: RunEngineOptions & { onCompleted: (run: RunRow) => void },
): Promise<void> {
  const { store, trialConcurrency, onError, onCompleted } = options
  const { run, trials } = launch
  const waiting = trials.values()
  const servers = createTrialServers(launch.targets, options)
  const work = async () => {
    try {
      await runTrials(waiting, { launch, servers, stop, options })
    } catch (error) {
      stop.abort()
      throw error
    }
  }
  const workers = Array.from({ length: Math.min(trialConcurrency, trials.length) }, work)
  const broken = (await Promise.allSettled(workers)).find(result => result.status === 'rejected')
  try {
    if (broken) onError(broken.reason)
    store.write(() => {
      const isCompleted = endRun(store, run, { executionFailed: 'The service could not record the trial.' })
      if (isCompleted) onCompleted(run)
    })
  } catch (error) {
    // The run stays in flight without a lease, so the next look at it settles it.
    onError(error)
  }
}

type Work = {
  launch: RunLaunch
  servers: ReturnType<typeof createTrialServers>
  stop: AbortController
  options: RunEngineOptions
}

/** Takes trials until none is left; the end of one and the begin of the next are one write. */
async function runTrials(
  waiting: Iterator<TrialRow>,
  { launch, servers, stop, options }: Work,
): Promise<void> {
  const { store } = options
  let ended: { id: string; outcome: TrialOutcome } | undefined
  while (!stop.signal.aborted) {
    const next = waiting.next()
    const trial = next.done ? undefined : next.value
    const goesOn = store.write(() => {
      const recorded = !ended || store.trials.end(ended.id, ended.outcome)
      return recorded && (!trial || store.trials.begin(trial.id, Date.now()))
    })
    // Somebody else ended the run or one of its trials, as another process that cancels it.
    if (!goesOn) return stop.abort()
    const snapshot = trial && launch.cases[trial.casePosition]
    if (!trial || !snapshot) return
    // Other work of the process gets its turn between two trials, however fast they are.
    await setImmediate()
    const outcome = await runTrial({
      case: snapshot,
      servers,
      signal: stop.signal,
      models: modelsOf(launch, options),
      ...(options.trialDeadlineMs !== undefined && { deadlineMs: options.trialDeadlineMs }),
    })
    ended = { id: trial.id, outcome }
  }
}

/** A conversation for one trial; undefined where nothing could ever answer it. */
function modelsOf({ modelApiKeys }: RunLaunch, { models }: RunEngineOptions): TrialModels | undefined {
  if (!models && !modelApiKeys) return undefined
  return createTrialModels({ configured: models, keys: modelApiKeys ?? {} })
}
