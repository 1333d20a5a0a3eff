/** What a change does to somebody who knows only what was before; `unknown` where that cannot be decided. */
export type Impact = 'breaking' | 'unknown' | 'safe'

/** What a change of a schema does to whoever sends values of it, and to whoever receives them. */
export type Impacts = { input: Impact; output: Impact }

/** Fewer values are right. */
export const NARROWS: Impacts = { input: 'breaking', output: 'safe' }
/** More values are right. */
export const WIDENS: Impacts = { input: 'safe', output: 'breaking' }
/** Other values are right. */
export const BOTH: Impacts = { input: 'breaking', output: 'breaking' }
/** The same values are right. */
export const NONE: Impacts = { input: 'safe', output: 'safe' }
export const UNKNOWN: Impacts = { input: 'unknown', output: 'unknown' }

const RANKS: Record<Impact, number> = { safe: 0, unknown: 1, breaking: 2 }

/** The worst impact of several; `safe` of none. */
export function worst(impacts: readonly Impact[]): Impact {
  return impacts.reduce((one, other) => (RANKS[other] > RANKS[one] ? other : one), 'safe')
}

export function worse(one: Impacts, other: Impacts): Impacts {
  return { input: worst([one.input, other.input]), output: worst([one.output, other.output]) }
}
