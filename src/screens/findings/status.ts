import type { Look, Tone } from '../../tui/theme/theme.ts'

/** Returns the look of a finding's status; an unknown one is shown as received. */
export function statusLook(status: string | undefined): Look {
  if (status === 'new') return { symbol: 'warn', tone: 'warn', word: status }
  if (status === 'regressed') return { symbol: 'error', tone: 'error', word: status }
  if (status === 'recurring') return { symbol: 'again', tone: 'accent', word: status }
  if (status === 'resolved') return { symbol: 'ok', tone: 'ok', word: status }
  return { symbol: 'pending', tone: 'muted', word: status ?? 'unknown' }
}

/** Returns the tone of a severity. */
export function severityTone(severity: string | undefined): Tone {
  if (severity === 'high') return 'error'
  return severity === 'medium' ? 'warn' : 'plain'
}
