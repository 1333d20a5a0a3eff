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
  /**
   * One step out within the screen: the params that lead further in become these. Where they stand as the place was opened,
   * one never went in here, and it is a step back instead.
   */
  stepOut(params: Record<string, string | undefined>): void
  /** Swaps with the place that was left last. */
  last(): void
  /** Opens another place instead of the present one, and forgets every place on the way back that is gone too. */
  abandon(isGone: (place: Place) => boolean, instead: Place): void
  subscribe(listener: () => void): () => void
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && JSON.stringify(a.params) === JSON.stringify(b.params)
}

/** A place on the way, with those of its params that still are as it was opened with them. */
type Stop = { place: Place; given: Place['params'] }

/** Where the person is, and how they came there. */
export function createRouter(initial: Place): Router {
  let current = initial
  let given: Place['params'] = {}
  let previous: Place | undefined
  let history: Stop[] = []
  const listeners = new Set<() => void>()
  const move = (place: Place, opened = place.params): void => {
    previous = current
    current = place
    given = opened
    for (const listener of listeners) listener()
  }
  const remember = (): void => {
    history.push({ place: current, given })
    if (history.length > DEPTH) history.shift()
  }
  const replace = (params: Record<string, string | undefined>): void => {
    const merged = Object.entries({ ...current.params, ...params }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const next = { screen: current.screen, params: Object.fromEntries(merged) }
    if (same(next, current)) return
    given = Object.fromEntries(Object.entries(given).filter(([name, value]) => next.params[name] === value))
    current = next
    for (const listener of listeners) listener()
  }
  const back = (): boolean => {
    const stop = history.pop()
    if (!stop) return false
    move(stop.place, stop.given)
    return true
  }
  return {
    current: () => current,
    go(place) {
      if (same(place, current)) return
      remember()
      move(place)
    },
    replace,
    back,
    stepOut(params) {
      const differing = Object.keys(params).filter(name => current.params[name] !== params[name])
      const isAsOpened = differing.length > 0 && differing.every(name => name in given)
      if (!isAsOpened || !back()) replace(params)
    },
    last() {
      if (!previous) return
      remember()
      move(previous)
    },
    abandon(isGone, instead) {
      history = history.filter(({ place }) => !isGone(place))
      move(instead)
      previous = history.at(-1)?.place
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
