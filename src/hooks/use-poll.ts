import { useEffect, useSyncExternalStore } from 'react'
import { pollInterval } from '../api/poll-interval.ts'
import { useWorkspace } from './workspace.tsx'

/**
 * Milliseconds between polls of something live, or `false` when it is not: all that is live, on screen and in
 * other processes with the same key, shares the steady request rate. `requestsEach` is what one round sends.
 */
export function usePoll(options: { live: boolean; requestsEach: number }): number | false {
  const { budget } = useWorkspace()
  const { live } = options
  useEffect(() => (live ? budget.startPolling() : undefined), [budget, live])
  const pollers = useSyncExternalStore(budget.subscribe, () => budget.snapshot().pollers)
  if (!live) return false
  const { unlimited, refillPerSecond } = budget.snapshot()
  return pollInterval({
    live: Math.max(1, pollers),
    requestsEach: options.requestsEach,
    visible: true,
    unlimited,
    refillPerSecond,
  })
}
