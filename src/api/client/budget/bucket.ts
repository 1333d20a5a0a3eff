/** A rate of requests: `capacity` at once, `refillPerSecond` in the long run. */
export type BucketRule = { capacity: number; refillPerSecond: number }

/** A token bucket as plain data. */
export type Bucket = {
  /** Tokens at the time `at`. */
  level: number
  /** Time of `level`, in milliseconds; in the future while the bucket is paused. */
  at: number
  /** Requests sent and not yet answered or failed. */
  inFlight: number
}

/**
 * Share of the refill that is left unused. It covers rounding and the drift between our clock and the
 * service's, so that ours is never the faster one.
 */
const DRIFT = 1e-4

export function fullBucket(rule: BucketRule, now: number): Bucket {
  return { level: rule.capacity, at: now, inFlight: 0 }
}

/**
 * The bucket at a later time. Tokens never exceed the capacity less the requests in flight: one of
 * those may reach the service only now, after its bucket was full and could not refill. With this
 * ceiling, ours holds at most what the service's holds less the requests still on their way to it,
 * whatever the delays, so a request that has a token here has one there.
 */
export function refilled(bucket: Bucket, now: number, rule: BucketRule): Bucket {
  if (now <= bucket.at) return bucket
  const gained = ((now - bucket.at) / 1000) * rule.refillPerSecond * (1 - DRIFT)
  const ceiling = Math.max(0, rule.capacity - bucket.inFlight)
  return { ...bucket, level: Math.min(ceiling, bucket.level + gained), at: now }
}

/** The bucket after a request left. */
export function taken(bucket: Bucket): Bucket {
  return { ...bucket, level: bucket.level - 1, inFlight: bucket.inFlight + 1 }
}

/** The bucket after a request was answered or failed. */
export function settled(bucket: Bucket): Bucket {
  return { ...bucket, inFlight: bucket.inFlight - 1 }
}

/** The bucket after a request failed that never left: its token is there again. */
export function returned(bucket: Bucket, rule: BucketRule): Bucket {
  const inFlight = bucket.inFlight - 1
  return { ...bucket, level: Math.min(Math.max(0, rule.capacity - inFlight), bucket.level + 1), inFlight }
}

/** The bucket after the service refused: nothing until `until`, then a single token, as the service says. */
export function drained(bucket: Bucket, until: number): Bucket {
  return { ...bucket, level: 1, at: Math.max(bucket.at, until) }
}

/** Milliseconds until `tokens` are there, or `undefined` when an answer has to come first. */
export function timeUntil(bucket: Bucket, tokens: number, now: number, rule: BucketRule): number | undefined {
  const pause = Math.max(0, bucket.at - now)
  if (bucket.level >= tokens) return pause
  if (rule.capacity - bucket.inFlight < tokens) return undefined
  return pause + ((tokens - bucket.level) / (rule.refillPerSecond * (1 - DRIFT))) * 1000
}
