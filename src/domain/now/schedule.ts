import type { Clock } from '../../lib/clock.ts'
import { DECISIVE, isUnread, RED, type PlannedRead, urgencyOf } from './plan.ts'

/** A read that can be scheduled. Its state is requested each time. */
export type ScheduledRead = {
  /** Returns the state of the read, in the same object or a new one; undefined while it is in progress. */
  look: () => PlannedRead | undefined
  /** Makes the read. Never rejects. */
  send: () => Promise<unknown>
}

/** The capacity that the budget leaves. */
export type Pace = {
  /** Milliseconds between two repeated requests. */
  requestMs: number
  /** Number of requests that could be sent now, and its maximum. */
  tokens: number
  capacity: number
  /** Whether due reads, as unread ones always, may use the upper half of a full budget in addition to their turns. */
  hurries: boolean
}

export type ReadSchedule = {
  /** Sets the reads that are scheduled from now on. */
  set: (reads: readonly ScheduledRead[]) => void
  /** Must be called when something may have become due. */
  look: () => void
  stop: () => void
}

type Known = { read: ScheduledRead; state: PlannedRead; urgency: number }

/** Maximum number of concurrent reads. A later, more important read cannot overtake them. */
const MOST_AT_ONCE = 4
/**
 * Tokens that urgent reads leave to the person's keys, since opening something takes a few. Reads from `RED` on leave
 * one. A read in its turn is sent without a look at the tokens.
 */
const RESERVE = 4
const LEAST_RESERVE = 1
/** One of this number of turns is for the progress of running things, so that it does not delay news of failures. */
const TURNS = 4
/** Number of turns that can be made up if requests cost nothing. Reads that are due together are then made together. */
const SAVED_TURNS = 12
/**
 * Milliseconds in which answers and changes are collected before all reads are examined, since there may be thousands.
 */
const GATHER_MS = 20
/** Milliseconds to wait for tokens, and for reads that become due shortly after each other. */
const STEP_MS = 500
/**
 * Milliseconds for which due reads keep their order. Examining a thousand reads costs as much as a request, and no read
 * becomes much more urgent than another in this time.
 */
const ORDER_MS = 5_000

/**
 * Makes all reads with one timer, the most urgent first; see `urgencyOf`. Reads that show failures or open access are
 * made as fast as the budget allows. All others take turns, of which at most one in four is for progress while anything
 * else is due. Unread ones, and if `hurries` all due ones, may also use the upper half of a full budget. A changed pace
 * does not change due times, which depend only on the last answer.
 */
export function createReadSchedule({ clock, pace }: { clock: Clock; pace: () => Pace }): ReadSchedule {
  const openedAt = clock.now()
  const knownAs = createKnown()
  let reads: readonly ScheduledRead[] = []
  /** Reads that were due, or almost due, when all were last examined, most urgent first, without those sent since. */
  let due: Known[] = []
  let lookedAt = -Infinity
  /** Time at which the first read that was tried before becomes due. It is used only while `due` is empty. */
  let nextDueAt = Infinity
  let cancel: (() => void) | undefined
  /** Time of the next examination of reads, by the clock. */
  let dueAt: number | undefined
  let underWay = 0
  let turn = 0
  let spared = 0
  let turnAt = openedAt
  let isStopped = false

  const send = (known: Known): void => {
    underWay += 1
    due.splice(due.indexOf(known), 1)
    void known.read.send().finally(() => {
      underWay -= 1
      // While others are already due, an answer makes no further read due.
      if (due.length === 0 || dueAt === undefined) soon()
    })
  }
  /** Keeps an earlier look that is already planned, such as one between two requests. */
  const soon = (): void => {
    const now = clock.now()
    const at = now + GATHER_MS
    // An overdue timer may never fire, because setting the clock forward moves no timer.
    if (isStopped || (dueAt !== undefined && dueAt >= now && dueAt <= at)) return
    cancel?.()
    dueAt = at
    cancel = clock.after(GATHER_MS, run)
  }
  const run = (): void => {
    dueAt = undefined
    cancel?.()
    cancel = undefined
    if (isStopped) return
    const wait = step()
    if (wait === undefined) return
    dueAt = clock.now() + Math.max(1, wait)
    cancel = clock.after(Math.max(1, wait), run)
  }
  const lookAtAll = (now: number): void => {
    lookedAt = now
    nextDueAt = Infinity
    due = []
    for (const read of reads) {
      const state = read.look()
      if (!state) continue
      const urgency = urgencyOf(state, openedAt, now)
      const wait = dueIn(state, now) ?? Infinity
      nextDueAt = Math.min(nextDueAt, now + wait)
      // Reads that become due a moment later are included, since each wake-up and each render costs as much as a read.
      if (urgency >= 1 || wait <= STEP_MS) due.push(knownAs(read, state, urgency))
    }
    due.sort((one, other) => other.urgency - one.urgency)
  }
  /**
   * Sends the next read, if one may be sent.
   * @returns milliseconds until the next attempt; undefined if only an answer or a change can make one possible
   */
  const step = (): number | undefined => {
    const now = clock.now()
    if (due.length === 0 || Math.abs(now - lookedAt) >= ORDER_MS) lookAtAll(now)
    const [first] = due
    if (!first) return nextDueAt === Infinity ? undefined : Math.max(STEP_MS, nextDueAt - now)
    if (underWay >= MOST_AT_ONCE) return undefined
    const { requestMs, tokens, capacity, hurries } = pace()
    if (first.urgency >= DECISIVE && tokens > (first.urgency >= RED ? LEAST_RESERVE : RESERVE)) {
      send(first)
      return 0
    }
    if (now < turnAt) {
      // Half of a full budget may be used for unread things, if `hurries` in turns with the most urgent one. The other
      // half is left for the person.
      const unread = due.find(({ state }) => isUnread(state, openedAt))
      const spare = hurries && (spared % 2 === 1 || !unread) ? first : unread
      const waitsForTokens = spare !== undefined || first.urgency >= DECISIVE
      if (!spare || tokens <= (capacity === Infinity ? 0 : capacity / 2))
        return Math.min(turnAt - now, waitsForTokens ? STEP_MS : Infinity)
      spared += 1
      send(spare)
      return 0
    }
    const isTurnOfLive = turn % TURNS === 0
    turn += 1
    turnAt = (capacity === Infinity ? Math.max(turnAt, now - SAVED_TURNS * requestMs) : now) + requestMs
    send(due.find(({ state }) => (state.kind === 'live') === isTurnOfLive) ?? first)
    return 0
  }
  // Hundreds of reads may become due at the same time.
  const look = (): void => {
    lookedAt = -Infinity
    soon()
  }
  return {
    set(wanted) {
      reads = wanted
      look()
    },
    look,
    stop() {
      isStopped = true
      cancel?.()
    },
  }
}

/**
 * Reuses the object of each read, because a thousand new ones at each look would live long and be expensive to collect.
 */
function createKnown() {
  const all = new WeakMap<ScheduledRead, Known>()
  return (read: ScheduledRead, state: PlannedRead, urgency: number): Known => {
    const known = all.get(read) ?? { read, state, urgency }
    all.set(read, known)
    known.state = state
    known.urgency = urgency
    return known
  }
}

/** Returns milliseconds until a read is due, negative after that; undefined if never tried or not repeated. */
function dueIn({ triedAt, pause }: PlannedRead, now: number): number | undefined {
  return pause !== false && triedAt !== undefined ? triedAt + pause - now : undefined
}
