/** The selected row of a list, identified by its key while the rows change. */
export type Selection = {
  index(): number
  key(): string | undefined
  /** While held, a selected row that disappears is missed: no other row is selected in its place. */
  hold(held: boolean): void
  /** Whether the selected row is missed. */
  isMissed(): boolean
  /** Sets the current rows during rendering; keeps the selected one, or the one nearest to its position. */
  setKeys(keys: readonly string[]): void
  /** Resets the selection for rows of another owner: selects the first row, or this one. */
  restart(initial?: string): void
  move(by: number): void
  to(index: number): void
  /** Selects a row, even one that does not exist yet; until it does, the position stays. */
  select(key: string): void
  subscribe(listener: () => void): () => void
}

/**
 * Creates a selection. `initial` is selected as soon as it appears. Until the person selects a row, the first row stays
 * selected even if rows arrive above it. A list that follows starts at its last row; while the last row is selected,
 * the newest one becomes selected.
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

/** Returns the first row of the window so that the selected row is visible, scrolling as little as possible. */
export function windowStart(options: { previous: number; selected: number; rows: number; count: number }): number {
  const { previous, selected, rows, count } = options
  const latest = Math.max(0, count - rows)
  if (selected < previous) return Math.min(selected, latest)
  if (selected >= previous + rows) return Math.min(selected - rows + 1, latest)
  return Math.min(previous, latest)
}
