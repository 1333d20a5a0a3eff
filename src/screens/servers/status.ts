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

/** Returns the look of a doctor's report (`stateOf`); an unknown state is shown as received. */
export function reportLook(status: string): Look {
  return ownValue(REPORT, status) ?? { symbol: 'warn', tone: 'warn', word: status }
}

const STEP: Record<string, Look> = {
  ok: { symbol: 'ok', tone: 'ok', word: 'ok' },
  error: { symbol: 'error', tone: 'error', word: 'error' },
  skipped: { symbol: 'cancelled', tone: 'muted', word: 'skipped' },
}

/** Returns the look of a step of the doctor. */
export function stepLook(status: string): Look {
  return ownValue(STEP, status) ?? { symbol: 'warn', tone: 'warn', word: status }
}
