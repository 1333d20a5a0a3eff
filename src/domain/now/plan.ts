import { BOUNDS } from '../../lib/bounds.ts'
import type { Priority } from '../../api/client/budget/waiting-queue.ts'

/**
 * A rule for repeating one kind of read while Now is on screen. Each read is one request. Times are in milliseconds.
 */
type ReadRule = {
  /** The thing to read, for sentences. */
  what: string
  /** Pause between two reads of the same thing if the budget is sufficient. */
  every: number
  /** Factor by which this is read sooner than others if the budget is short. */
  weight: number
  /** Priority of its requests in the budget's queue. */
  priority: Priority
  /**
   * Whether the age of these reads counts as the age of the screen. The age of other kinds is shown beside their lines.
   */
  leads?: boolean
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Rules of the reads of Now. Suites give most for one request: the results of their last runs. */
export const NOW_READS = {
  live: { what: 'running runs', every: 3 * SECOND, weight: 1, priority: 'visible', leads: true },
  projects: { what: 'projects', every: 2 * MINUTE, weight: 1, priority: 'visible', leads: true },
  suites: { what: 'suites', every: 20 * SECOND, weight: 12, priority: 'visible', leads: true },
  // Runs are read at once if the suite has another latest run, or reports another change.
  runs: { what: 'runs', every: 5 * MINUTE, weight: 1, priority: 'visible' },
  // Schedules are read only for suites that ran at equal intervals.
  schedules: { what: 'schedules', every: 10 * MINUTE, weight: 0.5, priority: 'background' },
  // Findings come from waves, so both are read half as often as one alone would be.
  waves: { what: 'waves', every: 2 * MINUTE, weight: 1, priority: 'visible' },
  swarm: { what: 'swarm findings', every: 2 * MINUTE, weight: 1, priority: 'visible' },
  scenarios: { what: 'scenarios', every: MINUTE, weight: 0.5, priority: 'visible', leads: true },
  scenario: { what: 'scenario findings', every: 2 * MINUTE, weight: 0.5, priority: 'background' },
  // Reading the rights reveals that a feature was switched on or off.
  rights: { what: 'what this key may do', every: 3 * MINUTE, weight: 0.5, priority: 'visible' },
} as const satisfies Record<string, ReadRule>

/**
 * Maximum number of things that are each read separately, over all projects. Every render processes all of them, and
 * the service decides how many exist. The rest is reported as not read.
 */
export const MOST_READ = { projects: BOUNDS.nowProjects.most, suites: 2_000, scenarios: 1_000, runs: 200 } as const

export type NowReadKind = keyof typeof NOW_READS

export const ruleOf = (kind: NowReadKind): ReadRule => NOW_READS[kind]

/** A read in the plan. Times are epoch milliseconds. */
export type PlannedRead = {
  kind: NowReadKind
  /** Time of the last answer or failure; undefined before the first attempt. */
  triedAt: number | undefined
  /** Milliseconds until it is repeated; false = never. */
  pause: number | false
  /** Time at which another read showed that this one is outdated. */
  changedAt: number | undefined
  /** Whether the thing's last known state is bad or not final. */
  needsAttention: boolean
  worth: Worth
}

/** The importance of a project among all projects. */
export type Worth = {
  /** Rank of the project among all, most important first. */
  place: number
  /**
   * Activity in the project: 0 nothing lately, 1 something lately, 2 something is failing or just ran, 3 something is
   * running.
   */
  movement: 0 | 1 | 2 | 3
}

/** Factor by which a project is read sooner, by its `movement`. */
const MOVING = [1, 1.5, 2.5, 4] as const

/**
 * Reads with at least this urgency do not wait for a turn, because they decide what is open to anyone, or what is
 * failing (from `RED` on).
 */
export const DECISIVE = 1e6
export const RED = DECISIVE + 1

/**
 * Returns how urgent a read is; below 1 it is not due. Things that were not read since Now was opened come in this
 * order: projects; bad ones; suites of every project; bad runs known from an earlier session, whose suites show a
 * change sooner; access to scenarios. Things that have changed are as urgent as bad ones. All others become more urgent
 * with age, weight and activity of their project. If the budget is short, those with less weight and activity wait
 * longer.
 * @param openedAt when Now was opened, epoch milliseconds
 */
export function urgencyOf(read: PlannedRead, openedAt: number, now: number): number {
  const { kind, triedAt, pause, changedAt, needsAttention, worth } = read
  if (pause === false) return 0
  const hasChanged = changedAt !== undefined && (triedAt === undefined || triedAt < changedAt)
  const order = 1 / (1 + worth.place)
  const isFirst = isUnread(read, openedAt)
  if (hasChanged || (isFirst && needsAttention && !isToldBySuites(read))) return RED + 1 + order
  if (isFirst) {
    const first = firstUrgency(read, order)
    if (first !== undefined) return first
  }
  const late = isFirst ? 1 + Math.max(0, now - openedAt) / pause : (now - (triedAt ?? openedAt)) / pause
  const share = NOW_READS[kind].weight * MOVING[worth.movement]
  return late < 1 ? late : Math.min(DECISIVE - 1, Math.max(1, late * share))
}

/**
 * Returns the urgency of what is read first after Now is opened; undefined if it waits for its turn. @param order from
 * 0 to 1
 */
function firstUrgency({ kind, needsAttention }: PlannedRead, order: number): number | undefined {
  if (kind === 'projects') return RED + 2
  if (kind === 'suites') return RED + order
  if (needsAttention) return RED
  // Access to a scenario is more important than results of runs.
  return kind === 'scenarios' ? DECISIVE + order : undefined
}

/**
 * Whether the record of the suite shows if the thing has changed, with one request for each project. Runs known from an
 * earlier session wait for that; those never read do not.
 */
function isToldBySuites({ kind, triedAt }: PlannedRead): boolean {
  return triedAt !== undefined && (kind === 'runs' || kind === 'live')
}

/**
 * Whether the thing is still to be read for the first time since Now was opened. A read or failure less than one pause
 * before the opening counts as current. A thing that is not repeated never counts as unread.
 */
export function isUnread({ triedAt, pause }: PlannedRead, openedAt: number): boolean {
  return pause !== false && (triedAt === undefined || triedAt < openedAt - pause)
}
