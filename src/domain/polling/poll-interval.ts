export type PollLoad = {
  /** Pollers of all processes that are live at the same time, the asking one included: the budget's `pollers`. */
  live: number
  /** Requests of one poll. */
  requestsEach: number
  /** Whether the poller is on screen; a pinned run in a hidden place is not. */
  visible: boolean
  /** Whether the service is in the same process. */
  unlimited?: boolean
  /** Rows of what is polled: a service in the same process takes its time for them from the person's keys. */
  rows?: number
  /** Steady rate of the key as the budget assumes it now, in requests a second. */
  refillPerSecond?: number
  /** How many times as long the person wants it. */
  shareFactor?: number
}

/** Part of the steady rate that polling may use; the rest stays free for the person. */
const POLLING_SHARE = 0.75
const POLL_FLOOR_MS = { local: { visible: 1_000, hidden: 2_000 }, remote: { visible: 2_000, hidden: 10_000 } }

/** Rows that a service in the same process is asked about in a second. */
const LOCAL_ROWS_PER_SECOND = 4_000

/**
 * Pause between two polls of one poller, in milliseconds: the steady rate less the person's quarter,
 * divided among all live pollers. With equal loads the total stays within 45 requests a minute.
 */
export function pollInterval(load: PollLoad): number {
  const { live, requestsEach, visible, unlimited = false, rows = 0, refillPerSecond = 1, shareFactor = 1 } = load
  const floor = POLL_FLOOR_MS[unlimited ? 'local' : 'remote'][visible ? 'visible' : 'hidden']
  const longer = Math.max(1, shareFactor)
  if (unlimited) return Math.ceil(floor * longer * Math.max(1, rows / LOCAL_ROWS_PER_SECOND))
  const share = (Math.max(1, live) * requestsEach * 1000) / (refillPerSecond * POLLING_SHARE)
  return Math.max(floor * longer, Math.ceil(share * shareFactor))
}
