import { setTimeout as delay } from 'node:timers/promises'

/** How long a helper pauses before it checks again what another process does; tests wait with such a helper. */
export function untilNextLook(ms = 20): Promise<void> {
  return delay(ms)
}

/**
 * Milliseconds that a helper pauses before it asks again, after waiting for the given time. A long wait may become an
 * eighth longer, because asking a whole service every 20 ms would take most of a busy machine.
 */
export function pauseAfter(waited: number): number {
  return Math.min(100, Math.max(20, waited / 8))
}

/** The answer of a double that imitates a slow server; the time passes on the clock of the test, if it has one. */
export function slowAnswer<T>(ms: number, answer: T): Promise<T> {
  return new Promise(resolve => setTimeout(resolve, ms, answer))
}
