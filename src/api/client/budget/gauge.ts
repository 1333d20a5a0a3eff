import type { Clock } from '../../../lib/clock.ts'

/** A file that processes share, which was out of reach when it was last wanted. */
export type LostLedger = { file: string; error: Error }

/** Who goes first: what a person waits for, what is on screen, pinned runs in hidden places, all else. */
export type Priority = 'foreground' | 'visible' | 'pinned' | 'background'

/** What a request is for; `refused` counts answers that the rate was used up, and no request of its own. */
export type Purpose = Priority | 'write' | 'live' | 'refused'

/** Who a request is for: a screen or a command, and its purpose. */
export type Cause = { place: string; purpose: Purpose }

/** Requests that left in one second for one cause. */
export type Count = Cause & { second: number; count: number }

/** A count of any process of the machine. */
export type Spent = Count & { isOwn: boolean }

/** What needed no request, or was not sent after all. */
export type Spared = {
  /** Reads answered by what had been read a moment before. */
  fresh: number
  /** Answers that were the same text as before: nothing was parsed, compared or drawn. */
  same: number
  /** Pages of long lists that a poll left as they were. */
  pages: number
  /** Requests that nobody wanted any more when their turn came. */
  givenUp: number
}

const KEPT_SECONDS = 60

/** The first second of the last minute. */
export function minuteBefore(now: number): number {
  return Math.floor(now / 1000) - KEPT_SECONDS + 1
}

export function counted(counts: readonly Count[], now: number, { place, purpose }: Cause): readonly Count[] {
  const second = Math.floor(now / 1000)
  const isSame = (count: Count) => count.second === second && count.place === place && count.purpose === purpose
  const known = counts.find(isSame)
  const since = minuteBefore(now)
  const others = counts.filter(count => count !== known && count.second >= since)
  return [...others, { second, place, purpose, count: (known?.count ?? 0) + 1 }]
}

/** What the budget went to. */
export type BudgetReport = {
  /** The present second, as `spent` counts them. */
  second: number
  /** Requests of the last minute, of all processes of this machine that use the key. */
  spent: readonly Spent[]
  /** What keeps this process from the others; then `spent` is what it sent itself. */
  lost: LostLedger | undefined
  /** Requests of this process that wait, the first to go first. */
  waiting: readonly (Cause & { what: string; sinceMs: number })[]
  /** Other processes of which a request waits. */
  othersWaiting: number
  /** What this process did not send since it began. */
  spared: Readonly<Spared>
}

/** A value that changes by events and by the mere passing of time. */
export type Measured<T> = {
  measure: () => T
  /** Milliseconds until time alone changes the value, or `undefined` when it does not. */
  nextChange: () => number | undefined
  clock: Clock
}

/** Time alone redraws no more often than this. */
const TICK_MS = 250

/** Tells listeners about a measured value, and hands out the same object as long as it is the same. */
export class Gauge<T extends Record<string, unknown>> {
  readonly #source: Measured<T>
  readonly #listeners = new Set<() => void>()
  #current: T | undefined
  /** What the listeners know; somebody may have read a newer value since. */
  #published: T | undefined
  /** Guards against calls from listeners: each reads the value, and a measurement may read a file. */
  #isTelling = false
  #cancelTick: (() => void) | undefined

  constructor(source: Measured<T>) {
    this.#source = source
  }

  read = (): T => {
    const last = this.#current
    if (this.#isTelling && last) return last
    const next = this.#source.measure()
    if (last && Object.keys(next).every(key => last[key] === next[key])) return last
    this.#current = next
    return next
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#scheduleTick()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopTick()
    }
  }

  publish(): void {
    if (this.#listeners.size === 0) return
    const next = this.read()
    if (next !== this.#published) {
      this.#published = next
      this.#tell()
    }
    this.#scheduleTick()
  }

  #tell(): void {
    this.#isTelling = true
    try {
      for (const listener of this.#listeners) listener()
    } finally {
      this.#isTelling = false
    }
  }

  #scheduleTick(): void {
    this.#stopTick()
    const change = this.#source.nextChange()
    if (change === undefined) return
    this.#cancelTick = this.#source.clock.after(Math.max(TICK_MS, Math.ceil(change)), () => this.publish())
  }

  #stopTick(): void {
    this.#cancelTick?.()
    this.#cancelTick = undefined
  }
}
