import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from 'react'
import { connectionFault } from '../api/client/errors/api-error.ts'
import { AWAY_FACTOR, cadence, type Conditions, type RepeatedRead } from '../domain/polling/cadence.ts'
import { type Share, SHARE_FACTORS } from '../domain/polling/share.ts'
import { fromLastAnswer, type PolledQuery, unchangedAnswers } from './answers.ts'
import { type LinePace, useWorkspace } from './workspace.tsx'

const FULL: LinePace = { pollFactor: () => 1, subscribe: () => () => undefined }

/** How often the open screen is read, as set by the person. */
export const ShareContext = createContext<Share>('usual')

/**
 * Returns the conditions of a pause apart from the read itself; the same function while person and terminal do not
 * change.
 */
export function useConditions(): () => Conditions {
  const { budget, pace = FULL } = useWorkspace()
  const shareFactor = SHARE_FACTORS[useContext(ShareContext)]
  const slowFactor = useSlowFactor()
  const isLongIdle = useSyncExternalStore(pace.subscribe, () => pace.isResting?.() ?? false)
  return useCallback(
    () => ({ ...budget.snapshot(), shareFactor, slowFactor, isLongIdle }),
    [budget, shareFactor, slowFactor, isLongIdle],
  )
}

/** Returns the pause between two reads of a query, in milliseconds, for `refetchInterval`, based on its answers. */
export function useCadence(): (read: RepeatedRead | false, query?: Pick<PolledQuery, 'state'>) => number | false {
  const conditions = useConditions()
  return useCallback(
    (read, query) => {
      if (read === false) return false
      if (!query) return cadence(read, conditions()).ms
      const last = { unchanged: unchangedAnswers(query), fault: connectionFault(query.state.error) }
      return fromLastAnswer(query, cadence(read, conditions(), last).ms)
    },
    [conditions],
  )
}

/** Counts as one more poller of the key while live; renders again when the number of pollers changes. */
export function usePoller(isLive: boolean): void {
  const { budget } = useWorkspace()
  useEffect(() => (isLive ? budget.startPolling() : undefined), [budget, isLive])
  useSyncExternalStore(budget.subscribe, () => isLive && budget.snapshot().pollers)
}

/** Returns the factor by which all reads slow down: the connection to the terminal is slow, or nobody is present. */
export function useSlowFactor(): number {
  const { pace = FULL } = useWorkspace()
  return useSyncExternalStore(pace.subscribe, pace.pollFactor)
}

/** Whether nobody has been present for minutes. */
export function useIsAway(): boolean {
  return useSlowFactor() >= AWAY_FACTOR
}
