import type { MouseEvent } from './mouse.ts'
import type { Rectangle } from './region.ts'

/** A cell, counted from the top left corner of the area that hears of it. */
export type PointedCell = { row: number; column: number }

/** What an area of the screen does when the mouse acts on it. */
export type PointerHandlers = {
  /** A press somewhere in it, also in an area inside it. */
  focus?: () => void
  /** A press that no smaller area takes; `again` = the second of a double click on the same row. */
  press?: (at: PointedCell, again: boolean) => void
  /** The wheel was turned by so many notches that no smaller area takes; down is positive. */
  wheel?: (notches: number) => void
}

export type PointerArea = {
  rectangle: Rectangle
  /** Which overlay it belongs to, as for keys; 0 is the page. */
  depth: number
  handlers: () => PointerHandlers
}

export type Pointer = {
  /** Adds an area; the returned function takes it out again. */
  register(area: PointerArea): () => void
  /** Does what the area under the mouse does; true when there was something to do. */
  handle(event: MouseEvent, notches?: number): boolean
}

/** Two presses on one row within this time, in milliseconds, are a double click. */
export const DOUBLE_CLICK_MS = 500

/**
 * Routes the mouse: an event goes to the smallest area under it that handles it, never by mount order, and the areas of
 * an overlay cover everything beneath, also where the overlay is not.
 */
export function createPointer(now: () => number = Date.now): Pointer {
  const areas = new Set<PointerArea>()
  let last: { area: PointerArea; row: number; at: number } | undefined
  const under = (event: MouseEvent): PointerArea[] => {
    const depth = Math.max(0, ...[...areas].map(area => area.depth))
    return [...areas]
      .filter(area => area.depth === depth && contains(area.rectangle, event))
      .sort((a, b) => cells(a.rectangle) - cells(b.rectangle))
  }
  const press = (event: MouseEvent): boolean => {
    const hit = under(event)
    for (const area of hit.toReversed()) area.handlers().focus?.()
    const nearest = hit.find(area => area.handlers().press)
    if (!nearest) return hit.length > 0
    const { row, column } = nearest.rectangle
    const again = last?.area === nearest && last.row === event.row && now() - last.at < DOUBLE_CLICK_MS
    // A third press begins anew, or it would open twice.
    last = again ? undefined : { area: nearest, row: event.row, at: now() }
    nearest.handlers().press?.({ row: event.row - row, column: event.column - column }, again)
    return true
  }
  return {
    register(area) {
      areas.add(area)
      return () => void areas.delete(area)
    },
    handle(event, notches = 1) {
      if (event.action === 'press') return event.button === 'left' && press(event)
      if (event.action !== 'wheel-up' && event.action !== 'wheel-down') return false
      const nearest = under(event).find(area => area.handlers().wheel)
      nearest?.handlers().wheel?.(event.action === 'wheel-down' ? notches : -notches)
      return nearest !== undefined
    },
  }
}

function contains({ row, column, width, height }: Rectangle, at: PointedCell): boolean {
  return at.row >= row && at.row < row + height && at.column >= column && at.column < column + width
}

function cells({ width, height }: Rectangle): number {
  return width * height
}
