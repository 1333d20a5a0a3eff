let isJson = false

/** Errors of the command that runs now are JSON where its output is; also those of its usage, which has no options. */
export function chooseErrorFormat(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  isJson = own.includes('--json') || own.includes('--jsonl')
}

/** Whether errors are said as JSON. */
export function errorsAreJson(): boolean {
  return isJson
}
