import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { amountOf } from './amount.ts'
import { isOpenTrial, type TrialCounts } from './trials.ts'

/**
 * Number of latest ends that determine the pace. A long run needs more: with hundreds of ends a second, the second
 * since they were read would look like a standstill.
 */
const LAST = 20
const LAST_SHARE = 0.1

/** Maximum estimate of thirty days, in milliseconds. A longer one is useless. */
const LONGEST_MS = 30 * 86_400_000

type Timed = Pick<EvalIteration, 'status' | 'startedAt' | 'durationMs'>

/**
 * Returns milliseconds until all open trials have ended, at the pace of the latest ends. The time since the last end
 * counts, so that a run that hangs never seems almost done. Undefined before two trials have ended.
 */
export function estimateRemaining(trials: readonly Timed[], open: number, now: number): number | undefined {
  if (open === 0) return 0
  const ends = trials.flatMap(trial => endOf(trial) ?? [])
  const starts = trials.flatMap(({ status, startedAt }) => (status === 'pending' ? [] : (toEpochMs(startedAt) ?? [])))
  const last = ends.sort((a, b) => a - b).slice(-Math.max(LAST, Math.ceil(LAST_SHARE * ends.length)))
  if (last.length < 2) return undefined
  // If all ends are known, the time before the first one counts too.
  const isWhole = last.length === ends.length
  const from = isWhole ? starts.reduce((least, start) => Math.min(least, start), last[0]!) : last[0]!
  const ended = isWhole ? last.length : last.length - 1
  const perTrial = (last.at(-1)! - from) / ended
  const silence = Math.max(0, now - last.at(-1)!)
  return Math.max(perTrial * open - Math.min(silence, perTrial), (silence / ended) * open, 0)
}

/**
 * Returns milliseconds until all trials have ended at the average pace since the start, for use when only counts are
 * known. Undefined before the first has ended.
 */
export function averageRemaining(
  { ended, total }: Pick<TrialCounts, 'ended' | 'total'>,
  startedAt: number | undefined,
  now: number,
): number | undefined {
  if (ended === 0 || startedAt === undefined || now <= startedAt) return undefined
  return ((now - startedAt) / ended) * (total - ended)
}

/**
 * Milliseconds after which the average is updated, unless the run's answer changes before. It only grows between two
 * ends.
 */
const HELD_MS = 60_000
const held = new WeakMap<object, { at: number; remaining: number | undefined }>()

/** Returns the remaining time of a run as the service reported it, with its counts. */
export function runRemaining(
  run: Pick<EvalRun, 'createdAt'>,
  counts: Pick<TrialCounts, 'ended' | 'total'>,
  now: number,
): number | undefined {
  const last = held.get(run)
  if (last && Math.abs(now - last.at) < HELD_MS) return last.remaining
  const remaining = averageRemaining(counts, toEpochMs(run.createdAt), now)
  held.set(run, { at: now, remaining })
  return remaining
}

function endOf(trial: Timed): number | undefined {
  const start = toEpochMs(trial.startedAt)
  const took = amountOf(trial.durationMs)
  return isOpenTrial(trial) || start === undefined || took === undefined ? undefined : start + took
}

/** Returns a text such as `about 2 min left`, rounded up, so that it is never shorter than estimated. */
export function remainingLabel(remaining: number | undefined): string {
  if (remaining === undefined || !(remaining <= LONGEST_MS)) return 'time left unknown'
  const seconds = Math.ceil(remaining / 1000)
  if (seconds <= 5) return 'a few seconds left'
  if (seconds <= 55) return `about ${Math.ceil(seconds / 5) * 5} s left`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `about ${minutes} min left`
  const rest = minutes % 60
  return `about ${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`} left`
}
