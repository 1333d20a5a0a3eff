import type { MouseEvent } from './mouse.ts'
import type { Rectangle } from './region.ts'

/** A cell, relative to the top left corner of the area that receives it. */
export type PointedCell = { row: number; column: number }

/** Mouse handlers of an area of the screen. */
export type PointerHandlers = {
  /** A press anywhere in it, including areas inside it. */
  focus?: () => void
  /** A press that no smaller area handles; `again` for the second press of a double click on the same row. */
  press?: (at: PointedCell, again: boolean) => void
  /** The wheel was turned by this many notches, and no smaller area handles it; down is positive. */
  wheel?: (notches: number) => void
  /** The mouse is over a cell that no smaller area handles, without a button; undefined once it has left. */
  hover?: (at: PointedCell | undefined) => void
}

export type PointerArea = {
  rectangle: Rectangle
  /** The overlay that it belongs to, as for keys; 0 is the page. */
  depth: number
  handlers: () => PointerHandlers
}

export type Pointer = {
  /** Adds an area; the returned function removes it. */
  register(area: PointerArea): () => void
  /** Calls the handler of the area under the mouse. Returns whether there was one, or for a press, an area. */
  handle(event: MouseEvent, notches?: number): boolean
}

/** Two presses on one row within this time, in milliseconds, are a double click. */
export const DOUBLE_CLICK_MS = 500

/**
 * Routes mouse events: an event goes to the smallest area under it that handles it, regardless of mount order, and the
 * areas of an overlay cover everything below, even outside the overlay.
 * @param onHover called with whether any area needs moves of the mouse, which cost input while they are reported
 */
export function createPointer(
  now: () => number = Date.now,
  onHover: (isWanted: boolean) => void = () => undefined,
): Pointer {
  const areas = new Set<PointerArea>()
  let hovered: PointerArea | undefined
  let wantsHover = false
  // An area that moves is removed and added again, which must not change anything.
  const reportHover = (): void =>
    queueMicrotask(() => {
      const isWanted = [...areas].some(area => area.handlers().hover)
      if (isWanted !== wantsHover) onHover((wantsHover = isWanted))
    })
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
    const again = last?.area === nearest && last.row === event.row && now() - last.at < DOUBLE_CLICK_MS
    // A third press starts again; otherwise it would count as another double click.
    last = again ? undefined : { area: nearest, row: event.row, at: now() }
    nearest.handlers().press?.(cellIn(nearest, event), again)
    return true
  }
  const hover = (event: MouseEvent): boolean => {
    const nearest = under(event).find(area => area.handlers().hover)
    if (hovered !== nearest) hovered?.handlers().hover?.(undefined)
    hovered = nearest
    nearest?.handlers().hover?.(cellIn(nearest, event))
    return nearest !== undefined
  }
  return {
    register(area) {
      areas.add(area)
      reportHover()
      return () => {
        areas.delete(area)
        if (hovered === area) {
          hovered = undefined
          area.handlers().hover?.(undefined)
        }
        reportHover()
      }
    },
    handle(event, notches = 1) {
      if (event.action === 'press') return event.button === 'left' && press(event)
      if (event.action === 'move') return event.button === 'none' && hover(event)
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

function cellIn({ rectangle }: PointerArea, { row, column }: PointedCell): PointedCell {
  return { row: row - rectangle.row, column: column - rectangle.column }
}

function cells({ width, height }: Rectangle): number {
  return width * height
}
