import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, connectionFault, refusal } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { livePause } from '../../domain/polling/cadence.ts'
import { estimateRemaining } from '../../domain/runs/estimate.ts'
import { countTrials, type TrialCounts, whyRanAgain } from '../../domain/runs/trials.ts'
import type { RunPlace } from './reference.ts'
import { createTrialReader } from '../../domain/runs/trial-reader.ts'
import { interruptedCode } from '../process/interrupt.ts'
import { causeOf } from '../../domain/runs/causes.ts'
import { defined } from '../../lib/json.ts'

/**
 * Events of a followed run. Every further failure in a row is another `retrying`. `remaining` is in milliseconds, 0
 * when the run has ended, undefined while it is unknown.
 */
export type FollowEvent =
  | { event: 'changed'; run: EvalRun; counts: TrialCounts; remaining: number | undefined }
  | { event: 'retrying'; error: ApiError; failures: number; pauseMs: number }
  | { event: 'answered' }

/**
 * How following ended, with the last run and trials that were read:
 * - `ended`: the run ended
 * - `unreachable`: the service was never reached, or failed when the run was to be read once
 * - `refused`: the service refused, or its answer was invalid
 * - `timed_out`, `interrupted`: ended by the caller's signals
 */
export type Followed = { run?: EvalRun; trials: readonly EvalIteration[] } & (
  | { kind: 'ended'; run: EvalRun }
  | { kind: 'unreachable' | 'refused'; error: unknown }
  | { kind: 'timed_out' }
  | { kind: 'interrupted'; exitCode: number }
)

/** Says in a sentence why there is no run to follow. */
export class NoRun extends Error {
  /** The error code of the service, if it refused. */
  readonly code: string | null | undefined

  constructor(sentence: string, code?: string | null) {
    super(sentence)
    this.code = code
  }
}

export type FollowOptions = {
  /** Stops following for good. */
  interrupt: AbortSignal
  /** Stops following when the time limit is reached. */
  timeout: AbortSignal
  onEvent: (event: FollowEvent) => void
  /**
   * Resolves to whether this process has executed the run. By then the end of the run is stored or never will be.
   * Rejects if this process cannot tell.
   */
  executed?: Promise<boolean> | undefined
  /** Whether to read the run once instead of following it to its end. */
  once?: boolean | undefined
  /** Reduces each trial to what is reported of it. */
  keep?: ((trial: EvalIteration) => EvalIteration) | undefined
}

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 15_000
const GROWTH = 1.5
const FIRST_LOCAL_PAUSE_MS = 50

/**
 * Polls a run within the budget until it has ended. Waits for a connection that is lost midway; a service that never
 * answered, a refusal and an invalid answer end it at once.
 */
export async function followRun(
  client: Client,
  { projectId, runId }: RunPlace,
  { interrupt, timeout, onEvent, executed, once, keep }: FollowOptions,
): Promise<Followed> {
  const signal = AbortSignal.any([interrupt, timeout])
  const options = { signal, owner: runId, priority: 'visible', purpose: 'live' } as const
  const reader = createTrialReader(client, { projectId, runId }, options, { keep: reportedTrial, ...defined({ keep }) })
  const stopPolling = client.budget.startPolling()
  let run: EvalRun | undefined
  let begun: EvalRun | undefined
  let trials: readonly EvalIteration[] = []
  // The trials of the last whole read, or those that the first read has found so far.
  const soFar = () => ({ trials: trials.length > 0 ? trials : reader.known, ...defined({ run: run ?? begun }) })
  let shown = ''
  let failures = 0
  let polls = 0
  // Why the end of the run never comes if the next answer does not have it.
  let lost: unknown = once ? new NoRun('The run has not ended.') : undefined
  void executed?.then(
    isHere => void (lost = isHere ? refusal('unrecorded-run', 'the end of the run is not stored') : undefined),
    (error: unknown) => void (lost = error),
  )
  try {
    for (;;) {
      let pauseMs: number
      try {
        const whyLost = lost
        // Reads the run first: if it has ended, the trials read after it are final.
        const read = await client.runs.get({ projectId, runId }, options)
        begun = read
        trials = await reader.read()
        run = read
        if (failures > 0) onEvent({ event: 'answered' })
        failures = 0
        const counts = countTrials(trials)
        const standing = JSON.stringify([run.status, run.result, counts])
        const isOver = isTerminalRunStatus(run.status)
        if (standing !== shown) {
          const open = isOver ? 0 : counts.total - counts.ended
          onEvent({ event: 'changed', run, counts, remaining: estimateRemaining(trials, open, Date.now()) })
        }
        shown = standing
        if (isOver) return { kind: 'ended', run, trials }
        if (whyLost !== undefined) return { kind: 'refused', error: whyLost, run, trials }
        pauseMs = intervalOf(client, reader.requests + 1, (polls += 1))
      } catch (error) {
        if (signal.aborted) throw error
        if (!(error instanceof ApiError) || !isPassing(error)) return { kind: 'refused', error, ...soFar() }
        if (!isPause(error) && (once || !client.monitor.hasSucceeded()))
          return { kind: 'unreachable', error, ...soFar() }
        failures += 1
        pauseMs = Math.max(pauseAfter(failures), error.retryAfterMs ?? 0)
        onEvent({ event: 'retrying', error, failures, pauseMs })
      }
      await delay(pauseMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return interrupt.aborted
      ? { kind: 'interrupted', exitCode: interruptedCode(interrupt), ...soFar() }
      : { kind: 'timed_out', ...soFar() }
  } finally {
    stopPolling()
  }
}

/** Returns the pause before the next poll of a run, in milliseconds. */
export function intervalOf({ budget }: Client, requests: number, polls: number): number {
  const snapshot = budget.snapshot()
  const interval = livePause(snapshot, requests)
  // Many local runs end before a regular first pause would.
  return snapshot.unlimited ? Math.min(interval, FIRST_LOCAL_PAUSE_MS * GROWTH ** (polls - 1)) : interval
}

/** Returns how long to wait for a service that does not answer, in milliseconds. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (failures - 1))
}

/** Whether a service that answered before may recover by itself; errors from a proxy in front of it are temporary. */
export function isPassing(error: ApiError): boolean {
  const fault = connectionFault(error)
  if (error.retryable || (fault !== undefined && fault !== 'key-refused')) return true
  return error.kind === 'invalid-response' && error.code === 'not-json'
}

/** Whether the service is available but asks the client to wait. */
function isPause({ code, limit }: ApiError): boolean {
  return code === 'rate-paused' || limit === 'key-rate'
}

/**
 * Keeps only what following a run prints, judges by and reports. A run can have ten thousand trials, and server output,
 * scores and configuration are most of their size. Calls and scores are kept only where they say why a trial did not
 * pass.
 */
export function reportedTrial(trial: EvalIteration): EvalIteration {
  const { id, testCaseId, title, iterationNumber, status, result, startedAt, durationMs } = trial
  const { model, provider, tokensUsed, error, trialClass } = trial
  const reported: EvalIteration = {
    id,
    testCaseId,
    title,
    iterationNumber,
    status,
    result,
    startedAt,
    durationMs,
    model,
    provider,
    tokensUsed,
    error,
    ...(typeof trialClass === 'string' && { trialClass }),
    ...defined({ ranAgainAfter: whyRanAgain(trial) }),
    ...(trial['checksNothing'] === true && { checksNothing: true }),
  }
  if (causeOf(trial) === undefined) return trial.scores?.length === 0 ? { ...reported, scores: [] } : reported
  return {
    ...reported,
    scores: trial.scores?.flatMap(reportedScore),
    expectedToolCalls: trial.expectedToolCalls?.map(({ toolName }) => ({ toolName })),
    actualToolCalls: trial.actualToolCalls?.map(reportedCall),
  }
}

type Score = NonNullable<EvalIteration['scores']>[number]

/** Keeps the scores that give a reason. */
function reportedScore({ scorerId, definitionHash, status, passed, error, rationale }: Score): Score[] {
  const isReason = passed === false || status === 'error'
  return isReason ? [{ scorerId, status, passed, error, rationale, ...defined({ definitionHash }) }] : []
}

/** Keeps the name of the tool, and whether the call failed. */
export function reportedCall({ toolName, error, result }: Record<string, unknown>): Record<string, unknown> {
  const { isError } = Object(result) as { isError?: unknown }
  return { toolName, ...(error != null && { error }), ...(isError === true && { result: { isError } }) }
}
