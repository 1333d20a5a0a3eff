/** What a person is asked before something is done. */
export type Question = {
  title: string
  /** What will happen and what it costs, a line each. */
  lines: readonly (string | { text: string; tone: 'plain' | 'muted' | 'ok' | 'warn' | 'error' })[]
  /** The answer that acts. */
  action: string
  /** The answer that does not; `Cancel` where that cannot be misread. */
  decline?: string
  /** Must be typed before an act that cannot be undone. */
  word?: string
  /** Why the word is asked for, as a sentence; by default that it cannot be undone. */
  wordFor?: string
}
