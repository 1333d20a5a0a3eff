import type { Budget } from './budget.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { yieldToInput } from '../../../lib/yield-to-input.ts'

/** Milliseconds after a key in which no other key arrives, unless the key is held down. */
const AFTER_KEY_MS = 40
/** Milliseconds without a key after which the person counts as pausing. */
const REST_MS = 200

/** Finds moments in which background work delays no key. */
export type InputIdle = {
  /** Must be called when a key arrived, while it is being handled. */
  inputArrived: () => void
  /**
   * Resolves right after a key was handled, or when keys pause. It resolves for one caller at a time, with keys handled
   * in between.
   */
  next: () => Promise<void>
}

export function createInputIdle(clock: Clock = systemClock): InputIdle {
  let lastKey = -Infinity
  let key = Promise.withResolvers<void>()
  let line = Promise.resolve()
  const turn = async (): Promise<void> => {
    await yieldToInput()
    const since = clock.now() - lastKey
    if (since <= AFTER_KEY_MS || since >= REST_MS) return
    const rest = Promise.withResolvers<void>()
    const cancel = clock.after(REST_MS - since, rest.resolve)
    await Promise.race([key.promise, rest.promise])
    cancel()
    await yieldToInput()
  }
  return {
    inputArrived() {
      lastKey = clock.now()
      key.resolve()
      key = Promise.withResolvers()
    },
    next: () => (line = line.then(turn)),
  }
}

/**
 * Returns a budget that sends all requests but those of priority `foreground` between keys, because a service in the
 * same process shares the thread.
 */
export function betweenKeys(budget: Budget, pauses: InputIdle): Budget {
  return {
    ...budget,
    async acquire(options) {
      if (options?.priority !== 'foreground') await pauses.next()
      return budget.acquire(options)
    },
  }
}
