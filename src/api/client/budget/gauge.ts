import type { Clock } from '../../../lib/clock.ts'

/** A shared file that could not be accessed at the last attempt, and the error. */
export type LostLedger = { file: string; error: Error }

/**
 * The priorities of requests in order: what a person waits for, what is on screen, pinned runs elsewhere, everything
 * else.
 */
export type Priority = 'foreground' | 'visible' | 'pinned' | 'background'

/** The purpose of a request. `refused` counts refusals because of the rate, which are no separate requests. */
export type Purpose = Priority | 'write' | 'live' | 'refused'

/** The screen or command that a request is for, and its purpose. */
export type Cause = { place: string; purpose: Purpose }

/** Requests sent in one second for one cause. */
export type Count = Cause & { second: number; count: number }

/** Requests that one process of this machine sent. `isOwn` if this process sent them. */
export type Spent = Count & { isOwn: boolean }

/** Numbers of events that needed no request, or whose request was withdrawn. */
export type Spared = {
  /** Reads answered from data that had just been read. */
  fresh: number
  /** Answers with the same text as before, which were not parsed, compared or rendered. */
  same: number
  /** Pages of long lists that a poll did not read again. */
  pages: number
  /** Requests that were withdrawn before their turn came. */
  givenUp: number
}

const KEPT_SECONDS = 60

/** Returns the first second of the last minute. */
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

/** A report about the use of the budget. */
export type BudgetReport = {
  /** The current second, in the units of `spent`. */
  second: number
  /** Requests of the last minute, of all processes of this machine that use the key. */
  spent: readonly Spent[]
  /** Why the other processes are unknown. `spent` then contains only requests of this process. */
  lost: LostLedger | undefined
  /** Waiting requests of this process, in order. */
  waiting: readonly (Cause & { what: string; sinceMs: number })[]
  /** Number of other processes with waiting requests. */
  othersWaiting: number
  /** Numbers of requests that this process has saved since its start. */
  spared: Readonly<Spared>
}

/** A value that changes with events, and also with time alone. */
export type Measured<T> = {
  measure: () => T
  /** Returns milliseconds until time alone changes the value, or `undefined` if it does not. */
  nextChange: () => number | undefined
  clock: Clock
}

/** Minimum milliseconds between two renders caused by time alone. */
const TICK_MS = 250

/** Notifies listeners of a measured value, and returns the same object as long as the value is the same. */
export class Gauge<T extends Record<string, unknown>> {
  readonly #source: Measured<T>
  readonly #listeners = new Set<() => void>()
  #current: T | undefined
  /** The value that listeners were last notified of. Callers may have read a newer one since. */
  #published: T | undefined
  /** Guards against recursive calls: each listener reads the value, and a measurement may read a file. */
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
