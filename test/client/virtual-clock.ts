import type { Clock } from '../../src/lib/clock.ts'

type Timer = { at: number; order: number; run: () => void }

/** A clock that moves only when told to; timers run in order, each after all earlier work has settled. */
export class VirtualClock implements Clock {
  #now = 1_000_000
  #order = 0
  #timers = new Set<Timer>()

  now = (): number => this.#now

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + Math.max(0, ms), order: (this.#order += 1), run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Timers that are set and have neither run nor been cancelled. */
  get pending(): number {
    return this.#timers.size
  }

  /** Moves time forward and runs the timers that are due. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (let timer = this.#next(); timer && timer.at <= end; timer = this.#next()) await this.#fire(timer)
    this.#now = end
  }

  /** Moves time forward until `work` ends. */
  async finish<T>(work: Promise<T>): Promise<T> {
    const state = { done: false }
    const end = () => {
      state.done = true
    }
    work.then(end, end)
    await settle()
    while (!state.done) {
      const timer = this.#next()
      if (!timer) throw new Error('nothing left to wait for')
      await this.#fire(timer)
    }
    return await work
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.run()
    await settle()
  }

  #next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers)
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    return first
  }
}

/** Waits until promises and streams in memory have settled. */
async function settle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
}
