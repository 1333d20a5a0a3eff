/** The rows a person has marked, held by identity while the rows change around them. */
export type Marks = {
  has(key: string): boolean
  toggle(key: string): void
  clear(): void
  /** A new set whenever it changes. */
  keys(): ReadonlySet<string>
  subscribe(listener: () => void): () => void
}

export function createMarks(): Marks {
  let keys: ReadonlySet<string> = new Set()
  const listeners = new Set<() => void>()
  const set = (next: ReadonlySet<string>): void => {
    keys = next
    for (const listener of listeners) listener()
  }
  return {
    has: key => keys.has(key),
    toggle(key) {
      const next = new Set(keys)
      if (!next.delete(key)) next.add(key)
      set(next)
    },
    clear() {
      if (keys.size > 0) set(new Set())
    },
    keys: () => keys,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
