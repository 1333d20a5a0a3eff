import type { NowLine } from './line.ts'

/** Longer words are shown alone, since they say what they are about. */
export const LONGEST_STATE = 13

/** The kind and state of a line: `run failed`, `regressed`. */
export function nowStateLabel({ kind, word }: Pick<NowLine, 'kind' | 'word'>): string {
  const both = `${kind} ${word}`
  return kind === 'line' || kind === 'rate' || both.length > LONGEST_STATE ? word : both
}
