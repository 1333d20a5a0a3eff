import { BOUNDS } from '../../lib/bounds.ts'
import type { Priority } from '../../api/client/budget/waiting-queue.ts'

/** How one kind of read is repeated while Now is on screen; each read is one request. Times are in milliseconds. */
type ReadRule = {
  /** What is read, for sentences. */
  what: string
  /** Pause between two reads of the same thing if the budget is sufficient. */
  every: number
  /** How much sooner than others it is read if the budget is short. */
  weight: number
  /** Priority of its requests in the budget's queue. */
  priority: Priority
  /**
   * Whether its age counts as that of the screen. Other kinds are read before it when Now opens, and the age of each is
   * shown beside the lines.
   */
  leads?: boolean
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** What Now reads, and how often. Suites give most for one request: the results of their last runs. */
export const NOW_READS = {
  live: { what: 'running runs', every: 3 * SECOND, weight: 1, priority: 'visible', leads: true },
  projects: { what: 'projects', every: 2 * MINUTE, weight: 1, priority: 'visible', leads: true },
  suites: { what: 'suites', every: 20 * SECOND, weight: 12, priority: 'visible', leads: true },
  // Read at once when the suite has another latest run, or reports something else about it.
  runs: { what: 'runs', every: 5 * MINUTE, weight: 1, priority: 'visible' },
  // Only for suites that ran at equal intervals.
  schedules: { what: 'schedules', every: 10 * MINUTE, weight: 0.5, priority: 'background' },
  // Findings come from waves, so each is read half as often as one alone would be.
  waves: { what: 'waves', every: 2 * MINUTE, weight: 1, priority: 'visible' },
  swarm: { what: 'swarm findings', every: 2 * MINUTE, weight: 1, priority: 'visible' },
  scenarios: { what: 'scenarios', every: MINUTE, weight: 0.5, priority: 'visible', leads: true },
  scenario: { what: 'scenario findings', every: 2 * MINUTE, weight: 0.5, priority: 'background' },
  // These show when a feature is switched on or off.
  rights: { what: 'what this key may do', every: 3 * MINUTE, weight: 0.5, priority: 'visible' },
} as const satisfies Record<string, ReadRule>

/**
 * Maximum number of things that are each read separately, over all projects: every render goes over all of them, and
 * the service decides how many there are. The rest is reported as not read.
 */
export const MOST_READ = { projects: BOUNDS.nowProjects.most, suites: 2_000, scenarios: 1_000, runs: 200 } as const

export type NowReadKind = keyof typeof NOW_READS

export const ruleOf = (kind: NowReadKind): ReadRule => NOW_READS[kind]

/** A read as the plan sees it. Times are epoch milliseconds. */
export type PlannedRead = {
  kind: NowReadKind
  /** When it last answered or failed; undefined before the first attempt. */
  triedAt: number | undefined
  /** Pause until it is repeated, in milliseconds; false = never. */
  pause: number | false
  /** When another read showed that this has changed. */
  changedAt: number | undefined
  /** Whether its known state is bad, or not final. */
  needsAttention: boolean
  worth: Worth
}

/** How important a project is among all. */
export type Worth = {
  /** Its rank among the projects, most important first. */
  place: number
  /** How much happens there: 0 nothing lately, 1 something lately, 2 something is red or ran just now, 3 it runs. */
  movement: 0 | 1 | 2 | 3
}

/** How much sooner a project is read, by its `movement`. */
const MOVING = [1, 1.5, 2.5, 4] as const

/**
 * Reads with at least this urgency do not wait for a turn, because they show what is open to anyone; from `RED` on,
 * what is failing.
 */
export const DECISIVE = 1e6
export const RED = DECISIVE + 1

/**
 * How urgent a read is: below 1 it is not due. What has not been read since Now was opened goes by worth: what is bad,
 * then the suites of every project in their order, then runs that were bad before and of which no suite says anything
 * else, then who may enter scenarios. All else gets more urgent with its age, by its weight and by what happens in its
 * project, so that where the budget is too small everything gets rarer alike.
 * @param openedAt when Now came on screen, epoch milliseconds
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

/** What is read before all else once Now is opened; undefined where it waits for its turn. @param order from 0 to 1 */
function firstUrgency({ kind, needsAttention }: PlannedRead, order: number): number | undefined {
  if (kind === 'projects') return RED + 2
  if (kind === 'suites') return RED + order
  if (needsAttention) return RED
  // Who may enter a scenario is worth knowing before how anything ran.
  return kind === 'scenarios' ? DECISIVE + order : undefined
}

/**
 * Whether its suite's record says if it has changed, for one request a project: what is known of it from an earlier
 * session waits for that.
 */
function isToldBySuites({ kind, triedAt }: PlannedRead): boolean {
  return triedAt !== undefined && (kind === 'runs' || kind === 'live')
}

/** Whether nothing is known of it since Now was opened. */
export function isUnread({ triedAt, pause }: PlannedRead, openedAt: number): boolean {
  return pause !== false && (triedAt === undefined || triedAt < openedAt - pause)
}
