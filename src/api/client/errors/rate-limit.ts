import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** The limits that can refuse a request (limits-and-errors, section 3). */
export type RateLimitKind =
  | 'key-rate'
  | 'burst-brake'
  | 'daily-quota'
  | 'insights-per-day'
  | 'concurrent-runs'
  | 'agent-concurrency'
  | 'connection-poll'
  | 'open-requests'

/**
 * Milliseconds above which a wait on a launching route can only be that of a daily quota: brakes and the rate of the
 * key count by the minute.
 */
const LONGEST_BRAKE_MS = 120_000

type Refusal = {
  endpoint: Pick<AnyEndpoint, 'method' | 'path' | 'risk'>
  status: number
  code: string | undefined
  details: Record<string, unknown> | undefined
  retryAfterMs: number | undefined
}

/** Returns which limit refused a request, or `undefined` if none did. */
export function rateLimitOf({ endpoint, status, code, details, retryAfterMs }: Refusal): RateLimitKind | undefined {
  if (code === 'ACTIVE_REQUEST_LIMIT') return 'open-requests'
  // A 429 of a model's endpoint says nothing about the service's own limits.
  if (status !== 429 || details?.['reason'] === 'MODEL_ENDPOINT') return undefined
  if (code === 'CONCURRENT_RUN_LIMIT' || details?.['reason'] === 'CONCURRENT_RUN_LIMIT') return 'concurrent-runs'
  if (namesInsights(details)) return 'insights-per-day'
  if (endpoint.method === 'GET' && endpoint.path.includes('/server-connections/')) return 'connection-poll'
  if (endpoint.path.split('/').includes('agent')) return 'agent-concurrency'
  const label = labelIn(details)
  if (/day|daily|quota/i.test(label)) return 'daily-quota'
  if (/brake|burst|(generations|launches|insights)PerMinute/i.test(label)) return 'burst-brake'
  if (endpoint.risk !== 'spend') return 'key-rate'
  if ((retryAfterMs ?? 0) > LONGEST_BRAKE_MS) return 'daily-quota'
  return label === '' ? 'key-rate' : 'burst-brake'
}

/**
 * Returns all texts in `details`, one of which may name the limit. A refusal without one can be recognized only by its
 * wait.
 */
function labelIn(details: Record<string, unknown> | undefined): string {
  return Object.values(details ?? {})
    .filter(value => typeof value === 'string')
    .join(' ')
}

/** Whether `details` name the ledger of insights. The contract does not say under which key. */
function namesInsights(details: Record<string, unknown> | undefined): boolean {
  return Object.entries(details ?? {}).some(entry => entry.includes('insightsPerDay'))
}

/** Parses `Retry-After` as milliseconds. Anything but whole seconds counts as missing. */
export function parseRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : undefined
}
