import { isDeepStrictEqual } from 'node:util'
import type { Place } from './place.ts'

/** Says where in a place the person stands, such as on which row: the params of that place. */
export type PositionParams = (params: Place['params']) => Record<string, string | undefined>

export type Router = {
  /** The place as it was opened or changed last. */
  current(): Place
  /** The place with where the person is in it at this moment: what links, pins and the way back name. */
  here(): Place
  /**
   * Asks `standing` for every {@link here} until the returned function is called; what registered later has the last
   * word.
   */
  registerPosition(standing: PositionParams): () => void
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

function withoutMissing(params: Record<string, string | undefined>): Place['params'] {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && isDeepStrictEqual(a.params, b.params)
}

/** Where the person is, and where they were before. */
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
