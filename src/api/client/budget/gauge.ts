import type { Clock } from '../../../lib/clock.ts'

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
  /** Listeners are being called: each of them reads, and a measurement may look at a file. */
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
