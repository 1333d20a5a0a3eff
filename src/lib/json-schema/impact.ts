/** The effect of a change on a client that knows only the earlier schema; `unknown` if it cannot be determined. */
export type Impact = 'breaking' | 'unknown' | 'safe'

/** The effects of a schema change: on clients that send such values, and on those that receive them. */
export type Impacts = { input: Impact; output: Impact }

/** Impact of a change after which fewer values are valid. */
export const NARROWS: Impacts = { input: 'breaking', output: 'safe' }
/** Impact of a change after which more values are valid. */
export const WIDENS: Impacts = { input: 'safe', output: 'breaking' }
/** Impact of a change after which other values are valid. */
export const BOTH: Impacts = { input: 'breaking', output: 'breaking' }
/** Impact of a change after which the same values are valid. */
export const NONE: Impacts = { input: 'safe', output: 'safe' }
export const UNKNOWN: Impacts = { input: 'unknown', output: 'unknown' }

const RANKS: Record<Impact, number> = { safe: 0, unknown: 1, breaking: 2 }

/** Returns the worst of several impacts; `safe` if there are none. */
export function worst(impacts: readonly Impact[]): Impact {
  return impacts.reduce((one, other) => (RANKS[other] > RANKS[one] ? other : one), 'safe')
}

export function worse(one: Impacts, other: Impacts): Impacts {
  return { input: worst([one.input, other.input]), output: worst([one.output, other.output]) }
}
