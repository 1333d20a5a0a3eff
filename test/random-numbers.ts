/** Numbers and choices that are the same for the same seed. */
export type Random = {
  /** From 0 up to 1, without 1. */
  next(): number
  /** A whole number from 0 up to `count`, without it. */
  below(count: number): number
  pick<T>(choices: readonly T[]): T
  /** Whether something happens that happens in this share of cases. */
  chance(share: number): boolean
}

/** Evenly spread (mulberry32). */
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

/** A seed made of a text (FNV-1a), at least 0. */
export function seedOf(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0)!, 0x01000193)
  return value >>> 0
}
