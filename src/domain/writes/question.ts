/** What a person is asked before something is done. */
export type Question = {
  title: string
  /** What will happen and what it costs, one a line. */
  lines: readonly (string | { text: string; tone: 'plain' | 'muted' | 'ok' | 'warn' | 'error' })[]
  /** Label of the answer that acts. */
  action: string
  /** Label of the answer that does nothing; `Cancel` unless that could be misread. */
  decline?: string
  /** Word to type before an act that cannot be undone. */
  word?: string
  /** Why the word is required, as a sentence; by default that the act cannot be undone. */
  wordFor?: string
}
