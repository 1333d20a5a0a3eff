let isJson = false

/**
 * Prints the errors of this command as JSON if its output is JSON, including usage errors, for which no options were
 * parsed.
 */
export function chooseErrorFormat(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  isJson = own.includes('--json') || own.includes('--jsonl')
}

/** Whether errors are printed as JSON. */
export function errorsAreJson(): boolean {
  return isJson
}
