import type { NowLine } from './line.ts'

/** Maximum length for a prefix. Longer states are shown alone, since they name their subject. */
export const LONGEST_STATE = 13

/** Returns the kind and state of a line: `run failed`, `regressed`. */
export function nowStateLabel({ kind, word }: Pick<NowLine, 'kind' | 'word'>): string {
  const both = `${kind} ${word}`
  return kind === 'line' || kind === 'rate' || both.length > LONGEST_STATE ? word : both
}
