const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Number of runs in a row that make a rhythm. For nightly runs this includes the weekend. */
const RUNS = 7
/** Milliseconds that a run may be early or late. */
const SLACK_MS = 1.5 * HOUR_MS
/** Shortest gap between runs of a rhythm in milliseconds. More frequent runs are probably manual. */
const LEAST_GAP_MS = HOUR_MS

/**
 * Number of runs at equal intervals that may come from a schedule. The contract has no schedule with a shorter interval
 * than the minimum.
 */
const IN_A_ROW = 3
const LEAST_INTERVAL_MS = 5 * MINUTE_MS

/** Time at which the next run of a suite is due, in epoch milliseconds, and the tolerance. */
export type Rhythm = { dueAt: number; slackMs: number; isDaily: boolean }

/**
 * Returns the rhythm in which a suite last ran: on seven days in a row at about the same time, whatever else ran, or
 * seven times at equal intervals of at least an hour; undefined if there is none.
 * @param times when its runs were created, in epoch milliseconds
 */
export function rhythmOf(times: readonly number[]): Rhythm | undefined {
  if (times.length < RUNS) return undefined
  const latest = times.toSorted((one, other) => other - one)
  const steps = Array.from({ length: RUNS }, (_, step) => step)
  const daily = latest.find(time =>
    steps.every(step => latest.some(other => Math.abs(time - step * DAY_MS - other) <= SLACK_MS)),
  )
  if (daily !== undefined) return { dueAt: daily + DAY_MS, slackMs: SLACK_MS, isDaily: true }
  const gaps = steps.slice(1).map(step => latest[step - 1]! - latest[step]!)
  const gap = gaps.toSorted((one, other) => one - other)[gaps.length >> 1]!
  const slackMs = Math.min(SLACK_MS, gap / 4)
  const isEven = gap >= LEAST_GAP_MS && gaps.every(each => Math.abs(each - gap) <= slackMs)
  return isEven ? { dueAt: latest[0]! + gap, slackMs, isDaily: false } : undefined
}

/** Whether the last runs came at equal intervals. Only then is the suite's schedule worth reading. */
export function mayBeScheduled(times: readonly number[]): boolean {
  const [last, ...before] = times.toSorted((one, other) => other - one).slice(0, IN_A_ROW * 2)
  return before.some(time => last! - time >= LEAST_INTERVAL_MS && isInRow(times, last!, last! - time))
}

function isInRow(times: readonly number[], last: number, gap: number, count = IN_A_ROW): boolean {
  const steps = Array.from({ length: count }, (_, step) => last - step * gap)
  return steps.every(wanted => times.some(time => Math.abs(time - wanted) <= gap / 20))
}

/** The schedule of a suite: whether it is on, and how often it runs the suite. */
type Schedule = { enabled: boolean; intervalMinutes?: number | null | undefined } | null | undefined

/**
 * Returns the rhythm in which a suite is due: that of its schedule while it is on, otherwise the rhythm of its runs.
 * Runs that followed a schedule until it was switched off do not count as missed.
 * @param own the result of {@link rhythmOf} for the same times
 */
export function dueRhythm(times: readonly number[], own: Rhythm | undefined, schedule: Schedule): Rhythm | undefined {
  if (!schedule?.intervalMinutes) return own
  const scheduled = scheduledRhythm(times, schedule.intervalMinutes * MINUTE_MS)
  if (schedule.enabled) return scheduled ?? own
  return scheduled && own && Math.abs(scheduled.dueAt - own.dueAt) <= own.slackMs ? undefined : own
}

/** Returns the rhythm since the last scheduled run, which is the last that came one interval after another. */
function scheduledRhythm(times: readonly number[], intervalMs: number): Rhythm | undefined {
  const last = times.toSorted((one, other) => other - one).find(time => isInRow(times, time, intervalMs, 2))
  const slackMs = Math.min(SLACK_MS, intervalMs / 4)
  return last === undefined ? undefined : { dueAt: last + intervalMs, slackMs, isDaily: intervalMs === DAY_MS }
}

/**
 * Returns when a suite was due and did not run; undefined if it ran, or may have.
 * @param asOf time up to which all its runs are known, in epoch milliseconds like `times`
 */
export function missedAt(rhythm: Rhythm | undefined, times: readonly number[], asOf: number): number | undefined {
  if (!rhythm) return undefined
  const { dueAt, slackMs } = rhythm
  return asOf > dueAt + slackMs && times.every(time => time < dueAt - slackMs) ? dueAt : undefined
}
