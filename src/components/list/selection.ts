/** The selected row of a list, tracked by identity while the rows change. */
export type Selection = {
  index(): number
  key(): string | undefined
  /** While it is held, a selected row that disappears is not replaced by another. */
  hold(held: boolean): void
  /** Whether the selected row has disappeared. */
  isMissed(): boolean
  /** Sets the current rows while rendering; keeps the selected one, or selects the nearest to its position. */
  setKeys(keys: readonly string[]): void
  /** Resets the selection for the rows of something else, to the first or to this one. */
  restart(initial?: string): void
  move(by: number): void
  to(index: number): void
  /** Selects a row, even one that is yet to appear; until then, the position stays. */
  select(key: string): void
  subscribe(listener: () => void): () => void
}

/**
 * `initial` is chosen as soon as it appears. Until the person chooses, the first row is the chosen one,
 * whatever arrives above it. A list that follows has its last row chosen instead, and keeps the last one while it is.
 */
export function createSelection(initial?: string, follows = false): Selection {
  let keys: readonly string[] = []
  let index = 0
  let key: string | undefined = initial
  let awaited = initial !== undefined
  let chosen = initial !== undefined
  let isHeld = false
  let isMissed = false
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  const set = (next: number): void => {
    const bounded = Math.max(0, Math.min(keys.length - 1, next))
    chosen = true
    if (bounded === index && key === keys[bounded] && !isMissed) return
    isMissed = false
    index = bounded
    key = keys[bounded]
    awaited = false
    notify()
  }
  return {
    index: () => (isMissed ? -1 : index),
    key: () => (keys.length > 0 && !isMissed ? keys[index] : undefined),
    isMissed: () => isMissed,
    hold(held) {
      if (held === isHeld) return
      isHeld = held
      if (held && !chosen && keys.length > 0) {
        chosen = true
        key = keys[index]
      }
      if (!held && isMissed) {
        isMissed = false
        if (!awaited) key = keys[index]
      }
    },
    setKeys(next) {
      if (next === keys) return
      const atEnd = follows && !isHeld && !awaited && (!chosen || (keys.length > 0 && index === keys.length - 1))
      keys = next
      isMissed = isHeld && chosen && key !== undefined && !keys.includes(key)
      if (keys.length === 0) return
      if (atEnd) {
        index = keys.length - 1
        key = keys[index]
        return
      }
      const found = !chosen || key === undefined ? -1 : keys.indexOf(key)
      index = !chosen ? 0 : found === -1 ? Math.max(0, Math.min(index, keys.length - 1)) : found
      if (found !== -1 || !(awaited || isMissed)) key = keys[index]
      if (found !== -1) awaited = false
    },
    restart(wanted) {
      keys = []
      index = 0
      key = wanted
      awaited = wanted !== undefined
      chosen = awaited
      isMissed = false
    },
    move: by => set(index + by),
    to: set,
    select(next) {
      const found = keys.indexOf(next)
      if (found !== -1) return set(found)
      key = next
      awaited = true
      chosen = true
      isMissed = isHeld && keys.length > 0
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** First row of the window that contains the selection, moving as little as possible. */
export function windowStart(options: { previous: number; selected: number; rows: number; count: number }): number {
  const { previous, selected, rows, count } = options
  const latest = Math.max(0, count - rows)
  if (selected < previous) return Math.min(selected, latest)
  if (selected >= previous + rows) return Math.min(selected - rows + 1, latest)
  return Math.min(previous, latest)
}
