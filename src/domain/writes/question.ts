/** A question to a person before an action. */
export type Question = {
  title: string
  /** Effects and costs of the action, in one line each. */
  lines: readonly (string | { text: string; tone: 'plain' | 'muted' | 'ok' | 'warn' | 'error' })[]
  /** Label of the answer that acts. */
  action: string
  /** Label of the answer that does nothing, if the default `Cancel` could be misread. */
  decline?: string
  /** Word to type before an action that cannot be undone. */
  word?: string
  /** Why the word is required, as a sentence. Default: that the action cannot be undone. */
  wordFor?: string
}
