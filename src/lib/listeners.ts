/** Listeners that are called on every change of something. */
export type Listeners = {
  subscribe(listener: () => void): () => void
  notify(): void
  /** Number of changes so far. */
  version(): number
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  let version = 0
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify() {
      version += 1
      for (const listener of listeners) listener()
    },
    version: () => version,
  }
}
