import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let arrivals = 0
let notifying: NodeJS.Immediate | undefined

/** Says that what a text waits for is there; several that come together are one change of what is on screen. */
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

/** A number that changes whenever something arrived: what was drawn before may look otherwise now. */
export function useArrivals(): number {
  return useSyncExternalStore(subscribe, () => arrivals)
}
