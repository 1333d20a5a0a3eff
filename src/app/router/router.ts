import type { Place } from './place.ts'

export type Router = {
  current(): Place
  /** Opens a place; the one left can be returned to. */
  go(place: Place): void
  /** Changes the present place, without leaving it: tabs, selection, filters, a step further in or out. */
  replace(params: Record<string, string | undefined>): void
  /** Swaps with the place that was left last; false when there is none. */
  last(): boolean
  /** Opens another place instead of the present one, and forgets the one left last if that is gone too. */
  abandon(isGone: (place: Place) => boolean, instead: Place): void
  subscribe(listener: () => void): () => void
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && JSON.stringify(a.params) === JSON.stringify(b.params)
}

/** Where the person is, and where they were before. */
export function createRouter(initial: Place): Router {
  let current = initial
  let previous: Place | undefined
  const listeners = new Set<() => void>()
  const move = (place: Place, left: Place | undefined): void => {
    previous = left
    current = place
    for (const listener of listeners) listener()
  }
  return {
    current: () => current,
    go(place) {
      if (!same(place, current)) move(place, current)
    },
    replace(params) {
      const merged = Object.entries({ ...current.params, ...params }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      const next = { screen: current.screen, params: Object.fromEntries(merged) }
      if (!same(next, current)) move(next, previous)
    },
    last() {
      if (!previous) return false
      move(previous, current)
      return true
    },
    abandon(isGone, instead) {
      move(instead, previous && !isGone(previous) ? previous : undefined)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
