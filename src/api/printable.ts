/** Text from elsewhere without control characters, which would steer the terminal that shows it. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD')
}
