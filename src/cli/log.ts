import { appendFileSync, chmodSync } from 'node:fs'

export type Log = {
  enabled: boolean
  line(text: string): void
  error(error: unknown): void
}

const SECRETS = /\b(sk_|Bearer\s+)[\w.~+/=-]+/g

/** A log file where one was asked for (mode 0600, keys blanked out); otherwise nothing is written anywhere. */
export function createLog(file: string | undefined): Log {
  if (!file) return { enabled: false, line: () => undefined, error: () => undefined }
  const line = (text: string): void => {
    appendFileSync(file, `${new Date().toISOString()} ${text.replaceAll(SECRETS, '$1[key]')}\n`, {
      mode: 0o600,
    })
  }
  line('start')
  chmodSync(file, 0o600)
  return {
    enabled: true,
    line,
    error: error => line(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  }
}
