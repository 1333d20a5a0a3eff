import { createContext, useContext, useLayoutEffect, useRef, type ReactNode } from 'react'
import { useKeymap } from '../tui/keymap/keymap-context.tsx'
import type { Pointer, PointerHandlers } from '../tui/terminal/pointer.ts'
import { useArea } from './size.tsx'

/** Rows that one notch of the wheel scrolls. */
export const WHEEL_ROWS = 3

const PointerContext = createContext<Pointer | undefined>(undefined)

/** Without a pointer (screen readers) there are no mouse events. */
export function PointerProvider(props: { pointer: Pointer | undefined; children: ReactNode }) {
  return <PointerContext.Provider value={props.pointer}>{props.children}</PointerContext.Provider>
}

/** A part of the component's own area, relative to its top left corner. */
export type Part = { top?: number; left?: number; width?: number; height?: number }

/**
 * While mounted, handles the mouse on this component's area, or that part of it. Handlers may change on every render.
 */
export function useMouseArea(handlers: PointerHandlers, part: Part = {}): void {
  const pointer = useContext(PointerContext)
  const { depth } = useKeymap()
  const area = useArea()
  const current = useRef(handlers)
  useLayoutEffect(() => {
    current.current = handlers
  })
  const { top = 0, left = 0 } = part
  const row = area.row + top
  const column = area.column + left
  const width = Math.min(part.width ?? area.width, area.width - left)
  const height = Math.min(part.height ?? area.height, area.height - top)
  useLayoutEffect(
    () => pointer?.register({ rectangle: { row, column, width, height }, depth, handlers: () => current.current }),
    [pointer, depth, row, column, width, height],
  )
}

/** Keeps the mouse away from everything below its children. */
export function MouseCover(props: { children: ReactNode }) {
  useMouseArea({})
  return props.children
}

/** Takes the focus when its children are clicked. */
export function MouseFocus(props: { onFocus: () => void; children: ReactNode }) {
  useMouseArea({ focus: props.onFocus })
  return props.children
}
