const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** So many runs one after another make a rhythm: with nights, the weekend is among them. */
const RUNS = 7
/** How much a run may come too early or too late, in milliseconds. */
const SLACK_MS = 1.5 * HOUR_MS
/** What repeats more often is somebody who tries something. */
const LEAST_GAP_MS = HOUR_MS

/** So many at equal distances may be a schedule's; the contract has none that is shorter than the least distance. */
const IN_A_ROW = 3
const LEAST_INTERVAL_MS = 5 * MINUTE_MS

/** When a run of a suite comes next, in epoch milliseconds, and what that may be off by. */
export type Rhythm = { dueAt: number; slackMs: number; isDaily: boolean }

/**
 * The rhythm in which a suite ran last: on each of seven days one after another at about the same time, whatever ran
 * beside that, or seven times at equal distances of an hour or more; undefined where it has none.
 * @param times when its runs were made, epoch milliseconds
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

/** Whether the last runs came at equal distances: only then is it worth asking whether the suite has a schedule. */
export function mayBeScheduled(times: readonly number[]): boolean {
  const [last, ...before] = times.toSorted((one, other) => other - one).slice(0, IN_A_ROW * 2)
  return before.some(time => last! - time >= LEAST_INTERVAL_MS && isInRow(times, last!, last! - time))
}

function isInRow(times: readonly number[], last: number, gap: number, count = IN_A_ROW): boolean {
  const steps = Array.from({ length: count }, (_, step) => last - step * gap)
  return steps.every(wanted => times.some(time => Math.abs(time - wanted) <= gap / 20))
}

/** What a suite keeps of its schedule: whether it is on, and how often it runs the suite. */
type Schedule = { enabled: boolean; intervalMinutes?: number | null | undefined } | null | undefined

/**
 * The rhythm in which a suite is due: that of its schedule where one is on, else its own. Runs that kept to a schedule
 * until it was switched off are not missed.
 * @param own as {@link rhythmOf} gives it for the same times
 */
export function dueRhythm(times: readonly number[], own: Rhythm | undefined, schedule: Schedule): Rhythm | undefined {
  if (!schedule?.intervalMinutes) return own
  const scheduled = scheduledRhythm(times, schedule.intervalMinutes * MINUTE_MS)
  if (schedule.enabled) return scheduled ?? own
  return scheduled && own && Math.abs(scheduled.dueAt - own.dueAt) <= own.slackMs ? undefined : own
}

/** The last run of a schedule that came an interval after another began the next one. */
function scheduledRhythm(times: readonly number[], intervalMs: number): Rhythm | undefined {
  const last = times.toSorted((one, other) => other - one).find(time => isInRow(times, time, intervalMs, 2))
  const slackMs = Math.min(SLACK_MS, intervalMs / 4)
  return last === undefined ? undefined : { dueAt: last + intervalMs, slackMs, isDaily: intervalMs === DAY_MS }
}

/**
 * When a suite was due and did not run; undefined where it ran, or may have.
 * @param asOf up to when all of its runs are known, epoch milliseconds as `times`
 */
export function missedAt(rhythm: Rhythm | undefined, times: readonly number[], asOf: number): number | undefined {
  if (!rhythm) return undefined
  const { dueAt, slackMs } = rhythm
  return asOf > dueAt + slackMs && times.every(time => time < dueAt - slackMs) ? dueAt : undefined
}
