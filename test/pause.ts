import { setTimeout as delay } from 'node:timers/promises'

/** How long a helper lets pass before it looks again at what another process does; tests wait with such a helper. */
export function untilNextLook(ms = 20): Promise<void> {
  return delay(ms)
}

/**
 * How long a helper that has waited for so long pauses before it asks again, in milliseconds: what took long may take
 * an eighth longer, and asking a whole service every 20 ms would be most of what a busy machine does.
 */
export function pauseAfter(waited: number): number {
  return Math.min(100, Math.max(20, waited / 8))
}

/** What a double answers that models a slow server; the time passes on the clock of the test, where it has one. */
export function slowAnswer<T>(ms: number, answer: T): Promise<T> {
  return new Promise(resolve => setTimeout(resolve, ms, answer))
}
