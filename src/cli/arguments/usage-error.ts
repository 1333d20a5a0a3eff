/** Invalid usage or configuration: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/**
 * Converts an error of commander, such as `error: unknown option '--jsn'` with `(Did you mean --json?)` on its own
 * line, to our sentence.
 */
export function usageErrorText(text: string, command: string): string {
  const words = text
    .replace(/^error: /, '')
    .replace(/\n\((Did you mean .+\?)\)/, '. $1')
    .trim()
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  return `${sentence}${/[.?]$/.test(sentence) ? '' : '.'} See ${command} --help.`
}
