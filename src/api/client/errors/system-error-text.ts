/** `EACCES: permission denied, mkdir '/x'`, as Node tells what the operating system refused. */
const OF_THE_SYSTEM = /^E[A-Z0-9]+: (.+?), [a-z]+(?: |$)/

/** What went wrong, in words for a sentence that names the file already: without codes, calls and a full stop. */
export function whyNot(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error)
  return (OF_THE_SYSTEM.exec(words)?.[1] ?? words).replace(/\.$/, '')
}

/** What went wrong, with the file where the operating system names one. */
export function whatWentWrong(error: unknown): string {
  const why = whyNot(error)
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
    ? `${error.path}: ${why}`
    : why
}
