import type { NowLine } from './line.ts'

/** Longer words stand alone: they tell what they are about. */
export const LONGEST_STATE = 13

/** What a line is about and how it stands: `run failed`, `regressed`. */
export function nowStateLabel({ kind, word }: Pick<NowLine, 'kind' | 'word'>): string {
  const both = `${kind} ${word}`
  return kind === 'line' || kind === 'rate' || both.length > LONGEST_STATE ? word : both
}
