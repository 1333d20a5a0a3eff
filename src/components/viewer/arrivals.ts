import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let arrivals = 0
let notifying: NodeJS.Immediate | undefined

/** Reports that content which a text waits for has arrived; several arrivals at once cause one redraw. */
export function arrived(): void {
  notifying ??= setImmediate(() => {
    notifying = undefined
    arrivals += 1
    for (const listener of listeners) listener()
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns a number that changes whenever content arrived, after which earlier output may look different. */
export function useArrivals(): number {
  return useSyncExternalStore(subscribe, () => arrivals)
}
