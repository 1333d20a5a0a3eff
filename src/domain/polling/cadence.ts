import type { ConnectionFault } from '../../api/client/errors/api-error.ts'
import { UNSEEN_POLL_MS } from '../../lib/clock.ts'

/** Ways in which a read of the service is repeated. */
export type RepeatedRead =
  /**
   * The thing changes by itself, as a run does. A poll sends `requests` requests and reads about `rows` rows. `times`
   * slows down a poller that reads several things, and `steady` keeps the pause even if nothing changes.
   */
  | { kind: 'live'; requests: number; rows?: number; times?: number; steady?: boolean }
  /** The thing is on screen, and changes only if someone edits it. For a list, `pages` is the number of pages read. */
  | { kind: 'shown'; pages?: number }
  /** The read has its own pause, in milliseconds. */
  | { kind: 'own'; everyMs: number }

/** Conditions for the length of a pause: the key's rate, the person and the terminal. */
export type Conditions = {
  /** Whether the service runs in the same process. */
  unlimited: boolean
  /** Steady rate that the budget currently assumes for the key, in requests a second. */
  refillPerSecond: number
  /** Number of live pollers in all processes that use the key, including this one. */
  pollers: number
  /** Set by the person for this screen; see `SHARE_FACTORS`. */
  shareFactor?: number
  /** Factor for a slow terminal, a terminal without focus and an absent person; see {@link IDLE}. */
  slowFactor?: number
  /** Whether no key was pressed for so long that polling is slowest. */
  isLongIdle?: boolean
}

/** The latest results of the read. */
export type LastAnswers = {
  /** Number of answers in a row that were equal to the one before. */
  unchanged?: number
  /** Why the service did not answer the last time. */
  fault?: ConnectionFault | undefined
}

/** Milliseconds before a read is repeated, or `false` if it is not repeated, and the reason for this length. */
export type Pause = { ms: number | false; reason: PauseReason }

/** Share of the steady rate that polling may use. The rest is left for the person. */
const POLLING_SHARE = 0.75
/** Rows a second that polls may read from a service in the same process, where reading delays the person's keys. */
const LOCAL_ROWS_PER_SECOND = 4_000
const LIVE_MS = { local: 1_000, remote: 2_000 }
const SHOWN_MS = { local: 20_000, remote: 50_000, away: 60_000 }
/** Minimum pause of a list on screen, for each page read of it. */
const PAGE_MS = 5_000

/** A factor of at least this value means that nobody has been there for minutes. */
export const AWAY_FACTOR = 20
/** The largest factor, used after the longest time without a key. */
export const LONG_IDLE_FACTOR = 32
/** Factors that slow down polling, by milliseconds since the last key, longest first. */
export const IDLE = [
  { afterMs: 15 * 60_000, factor: LONG_IDLE_FACTOR },
  { afterMs: 3 * 60_000, factor: AWAY_FACTOR },
  { afterMs: 60_000, factor: 4 },
]
/** The factor while the terminal has no focus, however recently a key was pressed. */
export const UNFOCUSED_FACTOR = 4

/** Number of unchanged answers after which the pause is doubled. After twice as many it is doubled again. */
const UNCHANGED = 5
/** Maximum pauses after the first and after the second doubling, in milliseconds. */
const DOUBLED_MS = [10_000, 4_000] as const

/** Returns the pause before other factors make it longer, in milliseconds. */
function shortestPause(read: RepeatedRead, at: Conditions): number {
  const { unlimited, shareFactor = 1, slowFactor = 1 } = at
  const place = unlimited ? 'local' : 'remote'
  if (read.kind === 'own') return read.everyMs
  if (read.kind === 'shown') return shareFactor * SHOWN_MS[slowFactor >= AWAY_FACTOR ? 'away' : place]
  const rows = unlimited ? Math.max(1, (read.rows ?? 0) / LOCAL_ROWS_PER_SECOND) : 1
  return Math.ceil(LIVE_MS[place] * Math.max(1, shareFactor) * rows)
}

type Step = (ms: number, read: RepeatedRead, at: Conditions, last: LastAnswers) => number

/** Functions that make a pause longer, in this order. Each takes and returns milliseconds. */
const LONGER = {
  // The steady rate without the person's quarter is divided among all live pollers.
  'rate of the key': (ms, read, { unlimited, pollers, refillPerSecond, shareFactor = 1 }) => {
    if (read.kind !== 'live' || unlimited) return ms
    const share = (Math.max(1, pollers) * read.requests * 1000) / (refillPerSecond * POLLING_SHARE)
    return Math.max(ms, Math.ceil(share * shareFactor))
  },
  'long list': (ms, read) => (read.kind === 'shown' ? Math.max(ms, PAGE_MS * (read.pages ?? 0)) : ms),
  'several reads in turn': (ms, read) => (read.kind === 'live' ? ms * Math.max(1, read.times ?? 1) : ms),
  'nobody there': (ms, { kind }, { slowFactor = 1, isLongIdle = false }) => {
    if (isLongIdle) return ms * (kind === 'live' ? slowFactor : LONG_IDLE_FACTOR)
    return kind === 'shown' ? ms : Math.max(ms, Math.min(ms * slowFactor, UNSEEN_POLL_MS))
  },
  'nothing changes': (ms, read, _at, { unchanged = 0 }) => {
    if (read.kind === 'shown' || (read.kind === 'live' && read.steady) || unchanged < UNCHANGED) return ms
    const once = Math.max(ms, Math.min(2 * ms, DOUBLED_MS[0]))
    return unchanged < 2 * UNCHANGED ? once : Math.max(once, Math.min(4 * ms, DOUBLED_MS[1]))
  },
  // Meanwhile, the connection monitor sends requests.
  'no answer': (ms, _read, at, { fault }) => (fault === undefined ? ms : Math.max(ms, shownPause(at))),
} satisfies Record<string, Step>

/** Created once, since Now needs the pauses of a thousand reads every five seconds. */
const STEPS = Object.entries(LONGER) as [keyof typeof LONGER, Step][]

export type PauseReason = RepeatedRead['kind'] | keyof typeof LONGER | 'key refused'

/**
 * Returns how often something is read. Every pause between two reads of one thing is computed here. With equal load the
 * polls of a key stay within three quarters of its rate, 45 requests a minute.
 */
export function cadence(read: RepeatedRead, at: Conditions, last: LastAnswers = {}): Pause {
  if (last.fault === 'key-refused') return { ms: false, reason: 'key refused' }
  let ms = shortestPause(read, at)
  let reason: PauseReason = read.kind
  for (const [name, longer] of STEPS) {
    const next = longer(ms, read, at, last)
    if (next !== ms) reason = name
    ms = next
  }
  return { ms, reason }
}

/** Returns the pause between two polls of something live while the person is there, in milliseconds. */
export function livePause(at: Conditions, requests: number): number {
  return Number(cadence({ kind: 'live', requests }, { ...at, slowFactor: 1, isLongIdle: false }).ms)
}

function shownPause(at: Conditions): number {
  return Number(cadence({ kind: 'shown' }, at).ms)
}
