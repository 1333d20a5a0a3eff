import type { Clock } from '../../lib/clock.ts'
import { DECISIVE, isUnread, RED, type PlannedRead, urgencyOf } from './plan.ts'

/** A read that can be made: how it stands is asked each time. */
export type ScheduledRead = {
  /** How it stands, in the same object each time or another; undefined while it is under way. */
  look: () => PlannedRead | undefined
  /** Reads it; resolves however it ended. */
  send: () => Promise<unknown>
}

/** What the budget leaves. */
export type Pace = {
  /** Pause between two requests of what is repeated, in milliseconds. */
  requestMs: number
  /** Requests that could leave now, and how many that can be. */
  tokens: number
  capacity: number
  /** Whether what is due may take what lies above half of a full budget, beside its turns. */
  hurries: boolean
}

export type ReadSchedule = {
  /** What is to be read from now on. */
  set: (reads: readonly ScheduledRead[]) => void
  /** Something may be due now that was not. */
  look: () => void
  stop: () => void
}

type Known = { read: ScheduledRead; state: PlannedRead; urgency: number }

/** Reads under way at once: what was sent can not be overtaken by what turns out to be worth more. */
const MOST_AT_ONCE = 4
/**
 * Requests that are left to the person's keys, since opening something takes a few; until it is known what is red, one.
 */
const RESERVE = 4
const LEAST_RESERVE = 1
/** One turn in so many belongs to what runs: its progress does not keep anybody from hearing what failed. */
const TURNS = 4
/** Turns that may be made up for where requests cost nothing: what is due together is read together. */
const SAVED_TURNS = 12
/** Milliseconds in which answers and changes are gathered before all reads are looked at: there may be thousands. */
const GATHER_MS = 20
/** How long to wait for tokens, and for reads that get due one soon after the other, in milliseconds. */
const STEP_MS = 500
/**
 * How long what is due keeps its order, in milliseconds: of a thousand reads a look at all costs as much as a request,
 * and within this time none becomes much more urgent than another.
 */
const ORDER_MS = 5_000

/**
 * Reads everything by one timer: what is most urgent first, see `urgencyOf`. What decides what is red goes as fast as
 * the budget lets; all else takes turns, and no more than one in four goes to progress while anything else is due. A
 * pace that changes moves no due time, since that hangs on the last answer alone.
 */
export function createReadSchedule({ clock, pace }: { clock: Clock; pace: () => Pace }): ReadSchedule {
  const openedAt = clock.now()
  const knownAs = createKnown()
  let reads: readonly ScheduledRead[] = []
  /** What was due when all reads were looked at, the most urgent first, without what was sent since. */
  let due: Known[] = []
  let lookedAt = -Infinity
  /** When the first read gets due by itself that was not then. */
  let nextDueAt = Infinity
  let cancel: (() => void) | undefined
  /** When it looks next, by the clock. */
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
      // While others are due already, an answer makes none that is.
      if (due.length === 0 || dueAt === undefined) soon()
    })
  }
  /** A look that is due earlier, as between two requests that may go, stays. */
  const soon = (): void => {
    const now = clock.now()
    const at = now + GATHER_MS
    // One that is overdue may wait for long: a clock that was put forward moves no timer.
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
      // What gets due a moment later goes along, since each wake and each draw costs as much as a read.
      if (urgency >= 1 || wait <= STEP_MS) due.push(knownAs(read, state, urgency))
    }
    due.sort((one, other) => other.urgency - one.urgency)
  }
  /** Sends what may go. @returns milliseconds until something else may; undefined where an answer comes first */
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
      // Half of a full budget may go to what nobody knows yet, in turns with what is known for longest; the other half
      // stays the person's.
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
  // Hundreds of reads get due at once.
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

/** How a read stands, in the same object at each look: a thousand new ones would live long and be costly to collect. */
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

/** Milliseconds until it gets due by itself; undefined where it never was read, or is not read again. */
function dueIn({ triedAt, pause }: PlannedRead, now: number): number | undefined {
  return pause !== false && triedAt !== undefined ? triedAt + pause - now : undefined
}
