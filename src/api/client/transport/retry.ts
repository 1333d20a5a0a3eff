import { abortedError, ApiError, inCall } from '../errors/api-error.ts'
import { type Clock, sleep } from '../../../lib/clock.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

export type RetryRule = {
  /** Maximum number of requests for one call, including the first. */
  attempts: number
  /** Maximum of the first pause, in milliseconds. It doubles with each further pause. */
  baseMs: number
  /** Maximum of any pause that we choose ourselves, in milliseconds. */
  capMs: number
  /** Longest `Retry-After` to wait for, in milliseconds. Beyond it the error is returned to the caller. */
  longestRetryAfterMs: number
}

export const defaultRetryRule: RetryRule = { attempts: 3, baseMs: 500, capMs: 8_000, longestRetryAfterMs: 60_000 }

/**
 * Milliseconds by which repeats after `Retry-After` are spread, so that waiting clients do not return at the same
 * moment.
 */
const RETRY_AFTER_SPREAD_MS = 250

/**
 * Returns milliseconds before the next request; `undefined` if none may follow.
 * @param failed requests so far, from 1
 * @param random from 0 up to, not including, 1
 */
export function retryDelay(error: ApiError, failed: number, rule: RetryRule, random: number): number | undefined {
  if (failed >= rule.attempts || !repeatsByItself(error)) return undefined
  if (error.retryAfterMs === undefined) return random * Math.min(rule.capMs, rule.baseMs * 2 ** (failed - 1))
  if (error.retryAfterMs > rule.longestRetryAfterMs) return undefined
  return error.retryAfterMs + random * RETRY_AFTER_SPREAD_MS
}

/**
 * Whether an error is retried automatically. Deadlines and broken programs are not: three deadlines in a row would
 * block a pane for minutes.
 */
function repeatsByItself(error: ApiError): boolean {
  if (error.details?.['programBroke'] === true) return false
  return error.retryable && (error.kind === 'network' || (error.kind === 'http' && error.code !== 'TIMEOUT'))
}

/**
 * Whether a repeat is harmless: for reads, naturally idempotent writes, and writes whose `idempotency` is `header` if
 * they have a key.
 */
export function isRepeatable(
  endpoint: Pick<AnyEndpoint, 'risk' | 'idempotency'>,
  idempotencyKey: string | undefined,
): boolean {
  if (endpoint.risk === 'read' || endpoint.idempotency === 'natural') return true
  return endpoint.idempotency === 'header' && idempotencyKey !== undefined
}

export type RetryOptions = {
  endpoint: AnyEndpoint
  /** See {@link isRepeatable}. If false, `attempt` runs at most once. */
  repeatable: boolean
  rule: RetryRule
  clock: Clock
  random: () => number
  signal?: AbortSignal | undefined
  /** Aborts when nothing more can be sent. It ends the pause before a repeat, but not a request in progress. */
  closing?: AbortSignal | undefined
  /**
   * Called with each pause before a repeat, in milliseconds. The function it returns is called at the end of the pause.
   */
  pausing?: (error: ApiError, delay: number) => () => void
}

/** Runs `attempt` until it succeeds, its error is final, the rule allows no more requests or the signal aborts. */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { endpoint, repeatable, rule, clock, random, pausing } = options
  let sent = false
  for (let failed = 1; ; failed += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const delay = repeatable ? retryDelay(error, failed, rule, random()) : undefined
      if (delay === undefined) throw inCall(error, endpoint, sent)
      sent ||= error.sent
      const resume = pausing?.(error, delay)
      const stops = [options.signal, options.closing].filter(signal => signal !== undefined)
      await sleep(delay, clock, AbortSignal.any(stops))
        .catch(() => {
          throw abortedError(sent, endpoint)
        })
        .finally(resume)
    }
  }
}
