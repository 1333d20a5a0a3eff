/** Path segment with the version of the service. A base address already includes it. */
export const API_PREFIX = '/api/v1'
/** Prefix of every service API key (contract: "Authentication"). */
export const KEY_PREFIX = 'sk_'
/** Header of an intent's key (limits-and-errors section 5). */
export const IDEMPOTENCY_HEADER = 'idempotency-key'
