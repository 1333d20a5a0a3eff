import { useEffect, useSyncExternalStore } from 'react'
import { pollInterval } from '../domain/polling/poll-interval.ts'
import { UNSEEN_POLL_MS } from '../lib/clock.ts'
import { useShareFactor } from './use-share.ts'
import { type LinePace, useWorkspace } from './workspace.tsx'

const FULL: LinePace = { pollFactor: () => 1, subscribe: () => () => undefined }

type Polls = { live: boolean; requestsEach: number; rows?: number }

/**
 * Milliseconds between polls of something live, or `false` when it is not: all that is live, on screen and in
 * other processes with the same key, shares the steady request rate. `requestsEach` is what one round sends, `rows` how
 * many rows it is about. A slow line to the terminal is polled for more rarely, and so is where nobody is.
 */
export function usePoll(options: Polls): number | false {
  const interval = useSharedPause(options)
  const factor = usePollFactor()
  const isResting = useRestFactor() > 1
  return interval !== false && restedPause(interval, factor, isResting)
}

/** The same for somebody who is there, over a quick line. */
export function useSharedPause(options: Polls): number | false {
  const { budget } = useWorkspace()
  const { live } = options
  useEffect(() => (live ? budget.startPolling() : undefined), [budget, live])
  const pollers = useSyncExternalStore(budget.subscribe, () => budget.snapshot().pollers)
  const shareFactor = useShareFactor()
  if (!live) return false
  const { unlimited, refillPerSecond } = budget.snapshot()
  return pollInterval({
    live: Math.max(1, pollers),
    requestsEach: options.requestsEach,
    rows: options.rows ?? 0,
    visible: true,
    unlimited,
    refillPerSecond,
    shareFactor,
  })
}

/** The factor from which on nobody has been there for minutes. */
export const REST = 20
/** Whether nobody has been there for minutes. */
export function useIsAway(): boolean {
  return usePollFactor() >= REST
}

/** How many times more rarely everything is read while polling rests, because nobody has been there for long. */
export const LONG_REST = 32

/** A pause as many times longer; unless polling rests no longer than the end of a run may stay unknown. */
export function restedPause(interval: number, factor: number, isResting: boolean): number {
  return isResting ? interval * factor : Math.max(interval, Math.min(interval * factor, UNSEEN_POLL_MS))
}

/** That factor while nobody has been there for a long time, else 1: for what is read in pauses of its own. */
export function useRestFactor(): number {
  const { pace = FULL } = useWorkspace()
  return useSyncExternalStore(pace.subscribe, () => (pace.isResting?.() ? LONG_REST : 1))
}

/** How many times more rarely is polled: the line to the terminal is slow, or nobody is there. */
export function usePollFactor(): number {
  const { pace = FULL } = useWorkspace()
  return useSyncExternalStore(pace.subscribe, pace.pollFactor)
}
