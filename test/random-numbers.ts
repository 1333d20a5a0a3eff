/** Random numbers and choices that are the same for the same seed. */
export type Random = {
  /** A number from 0 to 1, excluding 1. */
  next(): number
  /** A whole number from 0 to `count`, excluding `count`. */
  below(count: number): number
  pick<T>(choices: readonly T[]): T
  /** Returns true in the given share of cases. */
  chance(share: number): boolean
}

/** Evenly distributed (mulberry32). */
export function randomNumbers(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return { next, below, pick: choices => choices[below(choices.length)]!, chance: share => next() < share }
}

/** A seed computed from a text (FNV-1a), at least 0. */
export function seedOf(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0)!, 0x01000193)
  return value >>> 0
}
