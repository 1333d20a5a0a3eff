import type { ApiHeaders } from '../../contract/message.ts'

/** Difference in milliseconds from which a clock is reported as wrong. */
export const SKEW_MS = 30_000
/** Milliseconds above which an answer says too little about the time at which it was written. */
const LONGEST_EXCHANGE_MS = 10_000

/**
 * Milliseconds that the service's clock is ahead of this machine's, after the first answer. One process has one
 * service.
 */
let offset: number | undefined

/**
 * Returns the service's time in epoch milliseconds, by its last answers. The times of its records are compared with it.
 */
export function serviceNow(): number {
  return serviceTime(Date.now())
}

/** Converts a time of this machine's clock to the service's clock, in epoch milliseconds. */
export function serviceTime(now: number): number {
  return now + (offset ?? 0)
}

/**
 * Returns how far the service's clock is ahead of this machine's, in whole milliseconds; undefined before its first
 * answer.
 */
export function serviceOffset(): number | undefined {
  return offset === undefined ? undefined : Math.round(offset)
}

/** Returns how far this machine's clock is ahead of the service's, in milliseconds; negative if it is behind. */
export function clockSkew(): number {
  return -(offset ?? 0)
}

/**
 * Reads the service's time from `Date`, which has whole seconds. The offset changes only as far as such a time proves.
 */
export function readServiceTime(headers: ApiHeaders, sentAt: number, receivedAt: number): void {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date) || receivedAt - sentAt > LONGEST_EXCHANGE_MS) return
  const age = Number(headers.get('age') ?? 0) * 1000
  const written = date + (age > 0 ? age : 0)
  const [least, most] = [written - receivedAt, written + 1000 - sentAt]
  if (least <= most) offset = Math.min(most, Math.max(least, offset ?? 0))
}
