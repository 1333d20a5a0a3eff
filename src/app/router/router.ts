import { isDeepStrictEqual } from 'node:util'
import type { Place } from './place.ts'

/** Longest way back that is kept. */
const DEPTH = 100

/** Says where in a place the person stands, such as on which row: the params of that place. */
export type Standing = (params: Place['params']) => Record<string, string | undefined>

export type Router = {
  /** The place as it was opened or changed last. */
  current(): Place
  /** The place with where the person stands in it at this moment: what links, pins and the way back name. */
  here(): Place
  /** Asks `standing` for every {@link here} until the returned function is called; what registered later has the last word. */
  stand(standing: Standing): () => void
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

function withoutMissing(params: Record<string, string | undefined>): Place['params'] {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

function same(a: Place, b: Place): boolean {
  return a.screen === b.screen && isDeepStrictEqual(a.params, b.params)
}

/** A place on the way, with those of its params that still are as it was opened with them. */
type Stop = { place: Place; given: Place['params'] }

/** Where the person is, and how they came there. */
export function createRouter(initial: Place): Router {
  let current = initial
  let given: Place['params'] = {}
  let previous: Place | undefined
  let history: Stop[] = []
  const standings = new Set<Standing>()
  const listeners = new Set<() => void>()
  const here = (): Place => {
    let { params } = current
    for (const standing of standings) params = withoutMissing(standing(params))
    return same({ ...current, params }, current) ? current : { ...current, params }
  }
  const move = (place: Place, opened = place.params): void => {
    previous = here()
    current = place
    standings.clear()
    given = opened
    for (const listener of listeners) listener()
  }
  const remember = (): void => {
    history.push({ place: here(), given })
    if (history.length > DEPTH) history.shift()
  }
  const replace = (params: Record<string, string | undefined>): void => {
    const next = { screen: current.screen, params: withoutMissing({ ...here().params, ...params }) }
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
    here,
    stand(standing) {
      standings.add(standing)
      return () => standings.delete(standing)
    },
    go(place) {
      if (same(place, here())) return
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
