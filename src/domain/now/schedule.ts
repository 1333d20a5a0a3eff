import type { Clock } from '../../lib/clock.ts'
import { DECISIVE, isUnread, RED, type PlannedRead, urgencyOf } from './plan.ts'

/** A read that can be made: how it stands is asked each time. */
export type ScheduledRead = {
  /** How it stands; undefined while it is under way. */
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
 * Reads everything by one timer: what is most urgent first, see `urgencyOf`. What decides what is red goes as fast as
 * the budget lets; all else takes turns, and no more than one in four goes to progress while anything else is due. A
 * pace that changes moves no due time, since that hangs on the last answer alone.
 */
export function createReadSchedule({ clock, pace }: { clock: Clock; pace: () => Pace }): ReadSchedule {
  const openedAt = clock.now()
  let reads: readonly ScheduledRead[] = []
  let cancel: (() => void) | undefined
  /** When it looks next, by the clock. */
  let dueAt: number | undefined
  let underWay = 0
  let turn = 0
  let spared = 0
  let turnAt = openedAt
  let isStopped = false

  const send = ({ read }: Known): void => {
    underWay += 1
    void read.send().finally(() => {
      underWay -= 1
      soon()
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
  /** Sends what may go. @returns milliseconds until something else may; undefined where an answer comes first */
  const step = (): number | undefined => {
    const now = clock.now()
    // Thousands are looked at each time, so nothing is made of those that are under way.
    const known: Known[] = []
    for (const read of reads) {
      const state = read.look()
      if (state) known.push({ read, state, urgency: urgencyOf(state, openedAt, now) })
    }
    // What gets due a moment later goes along, since each wake and each draw costs as much as a read.
    const due = known.filter(({ state, urgency }) => urgency >= 1 || (dueIn(state, now) ?? Infinity) <= STEP_MS)
    const first = mostUrgent(due)
    if (!first) return untilDue(known, now)
    if (underWay >= MOST_AT_ONCE) return undefined
    const { requestMs, tokens, capacity, hurries } = pace()
    if (first.urgency >= DECISIVE && tokens > (first.urgency >= RED ? LEAST_RESERVE : RESERVE)) {
      send(first)
      return 0
    }
    if (now < turnAt) {
      // Half of a full budget may go to what nobody knows yet, in turns with what is known for longest; the other half
      // stays the person's.
      const unread = mostUrgent(due, ({ state }) => isUnread(state, openedAt))
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
    send(mostUrgent(due, ({ state }) => (state.kind === 'live') === isTurnOfLive) ?? first)
    return 0
  }
  return {
    set(wanted) {
      reads = wanted
      soon()
    },
    // Hundreds of reads get due at once.
    look: soon,
    stop() {
      isStopped = true
      cancel?.()
    },
  }
}

/** The most urgent read of those that fit, the first of several; sorting thousands for it would take all the time. */
function mostUrgent(reads: readonly Known[], fits: (read: Known) => boolean = () => true): Known | undefined {
  let most: Known | undefined
  for (const read of reads) if (fits(read) && (!most || read.urgency > most.urgency)) most = read
  return most
}

/** Milliseconds until the next of what is not due; what gets due soon after it goes along. */
function untilDue(known: readonly Known[], now: number): number | undefined {
  const times = known.flatMap(({ state }) => dueIn(state, now) ?? [])
  return times.length === 0 ? undefined : Math.max(STEP_MS, Math.min(...times))
}

/** Milliseconds until it gets due by itself; undefined where it never was read, or is not read again. */
function dueIn({ triedAt, pause }: PlannedRead, now: number): number | undefined {
  return pause !== false && triedAt !== undefined ? triedAt + pause - now : undefined
}
