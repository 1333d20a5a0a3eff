import type { QueryClient } from '@tanstack/react-query'
import { isPlainRead } from '../../api/client/cache/cache-contents.ts'
import { outdate } from '../../api/client/cache/query-client.ts'
import { IDLE, LONG_IDLE_FACTOR, UNFOCUSED_FACTOR } from '../../domain/polling/cadence.ts'
import type { LinePace } from '../../hooks/workspace.tsx'
import { systemClock, type Clock } from '../../lib/clock.ts'

export type FocusPace = LinePace & {
  /** Called when the terminal reports whether it has the focus. */
  set(focused: boolean): void
  /** Called when a key was pressed. */
  attend(): void
  isAttended(): boolean
}

/**
 * Slows polling while the terminal has no focus or nobody presses a key, and reads outdated data again when that ends.
 * `line` is the connection's own pace.
 */
export function createFocusPace(line: LinePace, queryClient: QueryClient, clock: Clock = systemClock): FocusPace {
  let isFocused = true
  let pressedAt = clock.now()
  let cancel: (() => void) | undefined
  let factor = 1
  const listeners = new Set<() => void>()
  const rested = (): number => IDLE.find(({ afterMs }) => clock.now() - pressedAt >= afterMs)?.factor ?? 1
  const update = (): void => {
    const before = factor
    factor = isFocused ? rested() : Math.max(rested(), UNFOCUSED_FACTOR)
    if (factor === before) return
    for (const listener of listeners) listener()
    if (factor > 1) return
    // A read over POST contacts a user's MCP server, so it is not repeated without being asked.
    void outdate(queryClient, { type: 'active', stale: true, predicate: isPlainRead })
  }
  /** Updates when the next rest begins; a key before then moves that time without setting a new timer. */
  const untilRest = (): void => {
    const left = IDLE.map(({ afterMs }) => pressedAt + afterMs - clock.now()).filter(ms => ms > 0)
    if (left.length === 0) return
    cancel = clock.after(Math.min(...left), () => {
      cancel = undefined
      update()
      untilRest()
    })
  }
  untilRest()
  return {
    isAttended: () => factor === 1,
    isResting: () => rested() === LONG_IDLE_FACTOR,
    pollFactor: () => line.pollFactor() * factor,
    subscribe(listener) {
      listeners.add(listener)
      const unsubscribe = line.subscribe(listener)
      return () => {
        listeners.delete(listener)
        unsubscribe()
      }
    },
    set(focused) {
      isFocused = focused
      update()
    },
    attend() {
      pressedAt = clock.now()
      if (factor > 1) cancel?.()
      if (factor > 1 || !cancel) untilRest()
      update()
    },
  }
}
