import { setTimeout as delay } from 'node:timers/promises'

/** How long a helper lets pass before it looks again at what another process does; tests wait with such a helper. */
export function untilNextLook(ms = 20): Promise<void> {
  return delay(ms)
}

/** What a double answers that models a slow server; the time passes on the clock of the test, where it has one. */
export function slowAnswer<T>(ms: number, answer: T): Promise<T> {
  return new Promise(resolve => setTimeout(resolve, ms, answer))
}
