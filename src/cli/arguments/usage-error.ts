/** Wrong usage or configuration: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
