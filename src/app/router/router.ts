import type { Place } from './place.ts'

/** Longest way back that is kept. */
const DEPTH = 100

export type Router = {
  current(): Place
  /** Opens a place; the one left can be returned to. */
  go(place: Place): void
  /** Changes the present place without a step in the history: tabs, selection, filters. */
  replace(params: Record<string, string | undefined>): void
  /** One step back; false when there is none. */
  back(): boolean
  /** Swaps with the place that was left last. */
  last(): void
  /** Opens another place instead of the present one, and forgets every place on the way back that is gone too. */
  abandon(isGone: (place: Place) => boolean, instead: Place): void
  subscribe(listener: () => void): () => void
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && JSON.stringify(a.params) === JSON.stringify(b.params)
}

/** Where the person is, and how they came there. */
export function createRouter(initial: Place): Router {
  let current = initial
  let previous: Place | undefined
  let history: Place[] = []
  const listeners = new Set<() => void>()
  const move = (place: Place): void => {
    previous = current
    current = place
    for (const listener of listeners) listener()
  }
  return {
    current: () => current,
    go(place) {
      if (same(place, current)) return
      history.push(current)
      if (history.length > DEPTH) history.shift()
      move(place)
    },
    replace(params) {
      const merged = Object.entries({ ...current.params, ...params }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      const next = { screen: current.screen, params: Object.fromEntries(merged) }
      if (same(next, current)) return
      current = next
      for (const listener of listeners) listener()
    },
    back() {
      const place = history.pop()
      if (!place) return false
      move(place)
      return true
    },
    last() {
      if (!previous) return
      history.push(current)
      move(previous)
    },
    abandon(isGone, instead) {
      history = history.filter(place => !isGone(place))
      move(instead)
      previous = history.at(-1)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
