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
 * What happens while a run is followed. Every further failure in a row is another `retrying`. `remaining` is in
 * milliseconds, 0 when the run has ended, undefined while it is not known.
 */
export type FollowEvent =
  | { event: 'changed'; run: EvalRun; counts: TrialCounts; remaining: number | undefined }
  | { event: 'retrying'; error: ApiError; failures: number; pauseMs: number }
  | { event: 'answered' }

/**
 * How following ended, with the last that was read:
 * - `ended`: the run did
 * - `unreachable`: the service was never reached; `refused`: it said no, or what it said makes no sense
 * - `timed_out`, `interrupted`: by the caller's signals
 */
export type Followed = { run?: EvalRun; trials: readonly EvalIteration[] } & (
  | { kind: 'ended'; run: EvalRun }
  | { kind: 'unreachable' | 'refused'; error: unknown }
  | { kind: 'timed_out' }
  | { kind: 'interrupted'; exitCode: number }
)

/** Why there is no run to follow, in a sentence. */
export class NoRun extends Error {
  /** The service's own, where it refused. */
  readonly code: string | null | undefined

  constructor(sentence: string, code?: string | null) {
    super(sentence)
    this.code = code
  }
}

export type FollowOptions = {
  /** Ends following, for good. */
  interrupt: AbortSignal
  /** Ends following when there was time enough. */
  timeout: AbortSignal
  onEvent: (event: FollowEvent) => void
  /** Whether this process executes the run; resolves when it has, and then the end of the run is stored or never is. */
  executed?: Promise<boolean> | undefined
}

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 15_000
const GROWTH = 1.5
const FIRST_LOCAL_PAUSE_MS = 50

/**
 * Polls a run within the budget until it has ended. A line that is lost midway is waited for; a service that never
 * answered, a refusal and an answer that makes no sense end it at once.
 */
export async function followRun(
  client: Client,
  { projectId, runId }: RunPlace,
  { interrupt, timeout, onEvent, executed }: FollowOptions,
): Promise<Followed> {
  const signal = AbortSignal.any([interrupt, timeout])
  const options = { signal, owner: runId, priority: 'visible', purpose: 'live' } as const
  const reader = createTrialReader(client, { projectId, runId }, options, { keep: reportedTrial })
  const stopPolling = client.budget.startPolling()
  let run: EvalRun | undefined
  let trials: readonly EvalIteration[] = []
  let shown = ''
  let failures = 0
  let polls = 0
  let isExecuted = false
  void executed?.then(isHere => (isExecuted = isHere))
  try {
    for (;;) {
      let pauseMs: number
      try {
        const mustBeOver = isExecuted
        // The run first: when it has ended, the trials read after it are those of the end.
        const read = await client.runs.get({ projectId, runId }, options)
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
        const unrecorded = refusal('unrecorded-run', 'the end of the run is not stored')
        if (mustBeOver) return { kind: 'refused', error: unrecorded, run, trials }
        pauseMs = intervalOf(client, reader.requests + 1, (polls += 1))
      } catch (error) {
        if (signal.aborted) throw error
        if (!(error instanceof ApiError) || !isPassing(error))
          return { kind: 'refused', error, trials, ...(run && { run }) }
        if (!client.monitor.hasSucceeded() && !isPause(error)) return { kind: 'unreachable', error, trials }
        failures += 1
        pauseMs = Math.max(pauseAfter(failures), error.retryAfterMs ?? 0)
        onEvent({ event: 'retrying', error, failures, pauseMs })
      }
      await delay(pauseMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    const read = { trials, ...(run && { run }) }
    return interrupt.aborted
      ? { kind: 'interrupted', exitCode: interruptedCode(interrupt), ...read }
      : { kind: 'timed_out', ...read }
  } finally {
    stopPolling()
  }
}

/** The pause before the next poll of a run, in milliseconds. */
export function intervalOf({ budget }: Client, requests: number, polls: number): number {
  const snapshot = budget.snapshot()
  const interval = livePause(snapshot, requests)
  // Many a local run is over before the first of these pauses would be.
  return snapshot.unlimited ? Math.min(interval, FIRST_LOCAL_PAUSE_MS * GROWTH ** (polls - 1)) : interval
}

/** How long a service that does not answer is left alone, in milliseconds. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (failures - 1))
}

/** Whether a service that answered before may answer again by itself: what a proxy answers in its place passes. */
export function isPassing(error: ApiError): boolean {
  const fault = connectionFault(error)
  if (error.retryable || (fault !== undefined && fault !== 'key-refused')) return true
  return error.kind === 'invalid-response' && error.code === 'not-json'
}

/** The service is there and asks for patience. */
function isPause({ code, limit }: ApiError): boolean {
  return code === 'rate-paused' || limit === 'key-rate'
}

/**
 * A trial with only what following a run prints, judges by and reports. A run can have ten thousand, and what servers
 * returned, scores and configuration are most of them; why one did not pass is in its calls and scores, which stay
 * there alone.
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

/** The scores that say why. */
function reportedScore({ scorerId, status, passed, error, rationale }: Score): Score[] {
  return passed === false || status === 'error' ? [{ scorerId, status, passed, error, rationale }] : []
}

/** Which tool it was, and whether that went wrong. */
function reportedCall({ toolName, error, result }: Record<string, unknown>): Record<string, unknown> {
  const { isError } = Object(result) as { isError?: unknown }
  return { toolName, ...(error != null && { error }), ...(isError === true && { result: { isError } }) }
}
