import type { ApiHeaders } from '../../contract/message.ts'

/** A larger clock difference is reported, in milliseconds. */
export const SKEW_MS = 30_000
/** A slower answer says too little about when it was written, in milliseconds. */
const LONGEST_EXCHANGE_MS = 10_000

/** The service's clock minus this machine's, in milliseconds, after the first answer; a process has one service. */
let offset: number | undefined

/** The service's time in epoch milliseconds, from its last answers, for comparing times of its records. */
export function serviceNow(): number {
  return serviceTime(Date.now())
}

/** Converts a time of this machine's clock to the service's clock; epoch milliseconds. */
export function serviceTime(now: number): number {
  return now + (offset ?? 0)
}

/** How far the service's clock is ahead of this machine's, in whole milliseconds; undefined before its first answer. */
export function serviceOffset(): number | undefined {
  return offset === undefined ? undefined : Math.round(offset)
}

/** How far this machine's clock is ahead of the service's, in milliseconds; negative when it is behind. */
export function clockSkew(): number {
  return -(offset ?? 0)
}

/** Reads the service's time from `Date`, which has whole seconds: the offset changes only as far as that proves. */
export function readServiceTime(headers: ApiHeaders, sentAt: number, receivedAt: number): void {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date) || receivedAt - sentAt > LONGEST_EXCHANGE_MS) return
  const age = Number(headers.get('age') ?? 0) * 1000
  const written = date + (age > 0 ? age : 0)
  const [least, most] = [written - receivedAt, written + 1000 - sentAt]
  if (least <= most) offset = Math.min(most, Math.max(least, offset ?? 0))
}
