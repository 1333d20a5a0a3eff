import type { ServerRequest } from '../../api/contract/server-requests.ts'

/** What servers ask of the person at this screen; the service in this process reports it whenever it changes. */
export type WaitingRequests = {
  /** Oldest first; the same list until it changes. */
  current(): readonly ServerRequest[]
  note(waiting: readonly ServerRequest[]): void
  subscribe(listener: () => void): () => void
}

export function createWaitingRequests(): WaitingRequests {
  let waiting: readonly ServerRequest[] = []
  const listeners = new Set<() => void>()
  return {
    current: () => waiting,
    note(now) {
      waiting = now
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
