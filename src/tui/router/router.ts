import { isDeepStrictEqual } from 'node:util'
import type { Place } from './place.ts'

/** Where the person is inside a place, such as on which row, as parameters of that place. */
export type PositionParams = (params: Place['params']) => Record<string, string | undefined>

export type Router = {
  /** The place as last opened or changed. */
  current(): Place
  /** The place with the person's current position, for links, pins and going back. */
  here(): Place
  /**
   * Calls `standing` for every {@link here} until the returned function is called; later registrations take precedence.
   */
  registerPosition(standing: PositionParams): () => void
  /** Opens a place; going back returns to the current one. */
  go(place: Place): void
  /** Changes the current place without leaving it: tabs, selection, filters, a step in or out. */
  replace(params: Record<string, string | undefined>): void
  /** Swaps with the previous place; false if there is none. */
  last(): boolean
  /** Opens another place instead of the current one, and drops the previous one if that is gone too. */
  abandon(isGone: (place: Place) => boolean, instead: Place): void
  subscribe(listener: () => void): () => void
}

function withoutMissing(params: Record<string, string | undefined>): Place['params'] {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && isDeepStrictEqual(a.params, b.params)
}

/** Creates the router, which knows the current and the previous place. */
export function createRouter(initial: Place): Router {
  let current = initial
  let previous: Place | undefined
  const standings = new Set<PositionParams>()
  const listeners = new Set<() => void>()
  const here = (): Place => {
    let { params } = current
    for (const standing of standings) params = withoutMissing(standing(params))
    return same({ ...current, params }, current) ? current : { ...current, params }
  }
  const show = (place: Place): void => {
    current = place
    for (const listener of listeners) listener()
  }
  const move = (place: Place, left: Place | undefined): void => {
    previous = left
    standings.clear()
    show(place)
  }
  return {
    current: () => current,
    here,
    registerPosition(standing) {
      standings.add(standing)
      return () => standings.delete(standing)
    },
    go(place) {
      if (!same(place, here())) move(place, here())
    },
    replace(params) {
      const next = { screen: current.screen, params: withoutMissing({ ...here().params, ...params }) }
      if (!same(next, current)) show(next)
    },
    last() {
      if (!previous) return false
      move(previous, here())
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
