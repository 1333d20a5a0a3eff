/** How much the program asks of the line to the terminal, from 0, all of it, to 2, as little as is useful. */
export type PaceLevel = 0 | 1 | 2

/** The level with what speaks for another one: slow writes, of which some are forgotten, or quick ones in a row. */
export type PaceState = { level: PaceLevel; slow: number; quick: number }

/** What a level means: least milliseconds between two paints, and how much rarer is polled. */
export const PACES: Record<PaceLevel, { paintPauseMs: number; pollFactor: number }> = {
  0: { paintPauseMs: 0, pollFactor: 1 },
  1: { paintPauseMs: 150, pollFactor: 2 },
  2: { paintPauseMs: 600, pollFactor: 4 },
}

export const FULL_PACE: PaceState = { level: 0, slow: 0, quick: 0 }

/**
 * A write that takes the terminal longer than this is slow, or very slow; one below the last is quick. In milliseconds.
 */
const SLOW_MS = 60
const VERY_SLOW_MS = 250
const QUICK_MS = 20
/** One slow write is chance, such as a terminal that stood still for a moment. */
const SLOW_AT_LEAST = 2
/**
 * So much of a slow write is forgotten with each other one: a line takes what fits its buffers at once, then nothing
 * for long.
 */
const FORGOTTEN = 0.1
/** So many with pauses between them: the line is never empty, and what is painted comes seconds late. */
const SLOW_WITH_PAUSES = 6
/** So many quick ones are needed to trust the line again, each step. */
const QUICK_IN_A_ROW = 20

/** The state after one more write that took the terminal `milliseconds` to accept. */
export function nextPace({ level, slow, quick }: PaceState, milliseconds: number): PaceState {
  if (milliseconds >= SLOW_MS) {
    const seen = slow + 1
    if (seen < SLOW_AT_LEAST) return { level, slow: seen, quick: 0 }
    const isFull = level > 0 && seen >= SLOW_WITH_PAUSES
    return { level: level === 2 || isFull || milliseconds >= VERY_SLOW_MS ? 2 : 1, slow: seen, quick: 0 }
  }
  const left = Math.max(0, slow - FORGOTTEN)
  if (milliseconds >= QUICK_MS) return { level, slow: left, quick: 0 }
  if (level === 0 || quick + 1 < QUICK_IN_A_ROW) return { level, slow: left, quick: level && quick + 1 }
  return { level: level === 2 ? 1 : 0, slow: 0, quick: 0 }
}

export type Pace = {
  /** Notes one write to the terminal. */
  written: (bytes: number, milliseconds: number) => void
  level: () => PaceLevel
  subscribe: (listener: () => void) => () => void
}

/** Follows how fast the line to the terminal is. */
export function createPace(): Pace {
  let state = FULL_PACE
  const listeners = new Set<() => void>()
  return {
    written: (_, milliseconds) => {
      const { level } = state
      state = nextPace(state, milliseconds)
      if (state.level !== level) for (const listener of listeners) listener()
    },
    level: () => state.level,
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
