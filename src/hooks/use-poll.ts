import { useEffect, useSyncExternalStore } from 'react'
import { pollInterval } from '../domain/polling/poll-interval.ts'
import { useShareFactor } from './use-share.ts'
import { useWorkspace } from './workspace.tsx'

const FULL = { pollFactor: () => 1, subscribe: () => () => undefined }

/**
 * Milliseconds between polls of something live, or `false` when it is not: all that is live, on screen and in
 * other processes with the same key, shares the steady request rate. `requestsEach` is what one round sends, `rows` how
 * many rows it is about. A slow line to the terminal is polled for more rarely.
 */
export function usePoll(options: { live: boolean; requestsEach: number; rows?: number }): number | false {
  const { budget } = useWorkspace()
  const { live } = options
  useEffect(() => (live ? budget.startPolling() : undefined), [budget, live])
  const pollers = useSyncExternalStore(budget.subscribe, () => budget.snapshot().pollers)
  const factor = usePollFactor()
  const shareFactor = useShareFactor()
  if (!live) return false
  const { unlimited, refillPerSecond } = budget.snapshot()
  const interval = pollInterval({
    live: Math.max(1, pollers),
    requestsEach: options.requestsEach,
    rows: options.rows ?? 0,
    visible: true,
    unlimited,
    refillPerSecond,
    shareFactor,
  })
  return interval * factor
}

/** The factor from which on nobody has been there for a long time. */
export const LONG_REST = 32

/** How many times more rarely is polled: the line to the terminal is slow, or nobody is there. */
export function usePollFactor(): number {
  const { pace = FULL } = useWorkspace()
  return useSyncExternalStore(pace.subscribe, pace.pollFactor)
}
