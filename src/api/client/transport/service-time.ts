import type { ApiHeaders } from '../../contract/message.ts'

/** A clock that is further off than this is named, in milliseconds. */
export const SKEW_MS = 30_000
/** An answer that took longer says too little about the time at which it was written, in milliseconds. */
const LONGEST_EXCHANGE_MS = 10_000

/** The service's clock less this machine's, in milliseconds, after the first answer; one process has one service. */
let offset: number | undefined

/** The service's time in epoch milliseconds, by its last answers: what the times of its records are compared with. */
export function serviceNow(): number {
  return serviceTime(Date.now())
}

/** A time of this machine's clock, as the service's clock had it; epoch milliseconds. */
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

/** Reads the service's time from `Date`, which has whole seconds: the offset moves only as far as that proves. */
export function readServiceTime(headers: ApiHeaders, sentAt: number, receivedAt: number): void {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date) || receivedAt - sentAt > LONGEST_EXCHANGE_MS) return
  const age = Number(headers.get('age') ?? 0) * 1000
  const written = date + (age > 0 ? age : 0)
  const [least, most] = [written - receivedAt, written + 1000 - sentAt]
  if (least <= most) offset = Math.min(most, Math.max(least, offset ?? 0))
}
