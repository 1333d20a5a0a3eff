/** `EACCES: permission denied, mkdir '/x'`, as Node tells what the operating system refused. */
const OF_THE_SYSTEM = /^E[A-Z0-9]+: (.+?), [a-z]+(?: |$)/

/** What went wrong, in words for a sentence that names the file already: without codes, calls and a full stop. */
export function systemErrorReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return (OF_THE_SYSTEM.exec(message)?.[1] ?? message).replace(/\.$/, '')
}

/** What went wrong, with the file where the operating system names one. */
export function systemErrorText(error: unknown): string {
  const why = systemErrorReason(error)
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
    ? `${error.path}: ${why}`
    : why
}
