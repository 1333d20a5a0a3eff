import type { QueryClient } from '@tanstack/react-query'
import { endpointOf } from '../api/client/cache/cache-contents.ts'
import type { LinePace } from '../hooks/workspace.tsx'

/** How many times rarer is polled while nobody looks. */
const UNFOCUSED_FACTOR = 4

export type FocusPace = LinePace & {
  /** The terminal's report of whether it has the focus. */
  set(focused: boolean): void
}

/** Polls more rarely while the terminal is not focused, and reads again what got old when it is. `line` is the line's own pace. */
export function createFocusPace(line: LinePace, queryClient: QueryClient): FocusPace {
  let isFocused = true
  const listeners = new Set<() => void>()
  return {
    pollFactor: () => line.pollFactor() * (isFocused ? 1 : UNFOCUSED_FACTOR),
    subscribe(listener) {
      listeners.add(listener)
      const unsubscribe = line.subscribe(listener)
      return () => {
        listeners.delete(listener)
        unsubscribe()
      }
    },
    set(focused) {
      if (focused === isFocused) return
      isFocused = focused
      for (const listener of listeners) listener()
      if (!focused) return
      // A read over POST reaches through to somebody's MCP server, so it is not repeated unasked.
      void queryClient.refetchQueries({
        type: 'active',
        stale: true,
        predicate: query => endpointOf(query.queryKey)?.method === 'GET',
      })
    },
  }
}
