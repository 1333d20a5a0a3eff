/** How much output the program sends to the terminal, from 0, all of it, to 2, as little as is useful. */
export type PaceLevel = 0 | 1 | 2

/**
 * The level, and what may change it: the number of slow writes, which are gradually forgotten, and of fast writes in a
 * row.
 */
export type PaceState = { level: PaceLevel; slow: number; quick: number }

/** The effect of each level: minimum milliseconds between two paints, and the factor by which polling slows down. */
export const PACES: Record<PaceLevel, { paintPauseMs: number; pollFactor: number }> = {
  0: { paintPauseMs: 0, pollFactor: 1 },
  1: { paintPauseMs: 150, pollFactor: 2 },
  2: { paintPauseMs: 600, pollFactor: 4 },
}

export const FULL_PACE: PaceState = { level: 0, slow: 0, quick: 0 }

/** Milliseconds from which a write counts as slow and as very slow, and below which it counts as fast. */
const SLOW_MS = 60
const VERY_SLOW_MS = 250
const QUICK_MS = 20
/** A single slow write may be chance, such as a terminal that paused for a moment. */
const SLOW_AT_LEAST = 2
/**
 * Share of a slow write that each faster write cancels: a connection accepts what fits its buffers at once, then
 * nothing for a long time.
 */
const FORGOTTEN = 0.1
/**
 * Number of slow writes, despite pauses between them, from which the connection is never idle and output appears
 * seconds late.
 */
const SLOW_WITH_PAUSES = 6
/** Number of fast writes in a row that improve the level by one. */
const QUICK_IN_A_ROW = 20

/** Returns the state after another write that took the terminal `milliseconds` to accept. */
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
  /** Records a write to the terminal. */
  written: (bytes: number, milliseconds: number) => void
  level: () => PaceLevel
  subscribe: (listener: () => void) => () => void
}

/** Tracks the speed of the connection to the terminal. */
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
