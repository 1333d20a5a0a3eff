import type { Look } from '../../tui/theme/theme.ts'
import { ownValue } from '../../lib/own-value.ts'

const REPORT: Record<string, Look> = {
  warnings: { symbol: 'warn', tone: 'warn', word: 'warnings' },
  ready: { symbol: 'ok', tone: 'ok', word: 'ready' },
  off: { symbol: 'cancelled', tone: 'warn', word: 'off' },
  oauth_required: { symbol: 'warn', tone: 'warn', word: 'needs OAuth' },
  partial: { symbol: 'warn', tone: 'warn', word: 'partial' },
  error: { symbol: 'error', tone: 'error', word: 'error' },
}

/** The state of a doctor's report (`stateOf`) for reading; an unknown one shows as it is. */
export function reportLook(status: string): Look {
  return ownValue(REPORT, status) ?? { symbol: 'warn', tone: 'warn', word: status }
}

const STEP: Record<string, Look> = {
  ok: { symbol: 'ok', tone: 'ok', word: 'ok' },
  error: { symbol: 'error', tone: 'error', word: 'error' },
  skipped: { symbol: 'cancelled', tone: 'muted', word: 'skipped' },
}

/** One step of the doctor for reading. */
export function stepLook(status: string): Look {
  return ownValue(STEP, status) ?? { symbol: 'warn', tone: 'warn', word: status }
}
