import { createListeners } from '../../lib/listeners.ts'
import type { ServerRequest } from '../../api/contract/server-requests.ts'

/** Requests of servers to the person at this screen. The service in this process reports each change. */
export type WaitingRequests = {
  /** Returns requests oldest first, the same list until it changes. */
  current(): readonly ServerRequest[]
  note(waiting: readonly ServerRequest[]): void
  subscribe(listener: () => void): () => void
}

export function createWaitingRequests(): WaitingRequests {
  let waiting: readonly ServerRequest[] = []
  const { subscribe, notify } = createListeners()
  return {
    current: () => waiting,
    note(now) {
      waiting = now
      notify()
    },
    subscribe,
  }
}
