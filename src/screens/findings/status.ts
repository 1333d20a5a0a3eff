import type { Symbols, Tone } from '../../tui/theme/theme.ts'

type Look = {
  symbol: keyof Pick<Symbols, 'ok' | 'error' | 'warn' | 'live' | 'pending' | 'cancelled'>
  tone: Tone
  word: string
}

/** How a finding's status looks; one that is not known shows as it is. */
export function statusLook(status: string | undefined): Look {
  if (status === 'new') return { symbol: 'warn', tone: 'warn', word: status }
  if (status === 'regressed') return { symbol: 'error', tone: 'error', word: status }
  if (status === 'recurring') return { symbol: 'live', tone: 'accent', word: status }
  if (status === 'resolved') return { symbol: 'ok', tone: 'ok', word: status }
  return { symbol: 'pending', tone: 'muted', word: status ?? 'unknown' }
}

/** How a journey run, or a session of one, ended. */
export function outcomeLook(outcome: string | undefined): Look {
  if (outcome === 'completed' || outcome === 'succeeded') return { symbol: 'ok', tone: 'ok', word: outcome }
  if (outcome === 'failed') return { symbol: 'error', tone: 'error', word: outcome }
  if (outcome === 'partial') return { symbol: 'warn', tone: 'warn', word: outcome }
  if (outcome === 'rate_limited') return { symbol: 'warn', tone: 'warn', word: 'throttled' }
  // Somebody stopped it, which is no failure.
  if (outcome === 'canceled') return { symbol: 'cancelled', tone: 'muted', word: outcome }
  if (outcome === 'stale') return { symbol: 'warn', tone: 'warn', word: 'silent' }
  if (outcome === 'failed_or_canceled') return { symbol: 'warn', tone: 'warn', word: 'failed?' }
  if (outcome === undefined) return { symbol: 'pending', tone: 'muted', word: 'unknown' }
  return { symbol: outcome === 'pending' ? 'pending' : 'live', tone: 'live', word: outcome }
}

/** The gravest first. */
export function severityTone(severity: string | undefined): Tone {
  if (severity === 'high') return 'error'
  return severity === 'medium' ? 'warn' : 'plain'
}
