import { createContext, useContext, useMemo, type ReactNode } from 'react'

export type Size = { width: number; height: number }

/** A component's size and its position on the screen, zero-based from the top left corner. */
export type Area = Size & { row: number; column: number }

const AreaContext = createContext<Area>({ width: 80, height: 24, row: 0, column: 0 })

/**
 * Tells its children how many columns and rows they have; frame, panes and dialogs each reduce it. `top` and `left` are
 * relative to the parent's area.
 */
export function SizeProvider(props: Size & { top?: number; left?: number; children: ReactNode }) {
  const { width, height, top = 0, left = 0 } = props
  const parent = useContext(AreaContext)
  const row = parent.row + top
  const column = parent.column + left
  const area = useMemo(() => ({ width, height, row, column }), [width, height, row, column])
  return <AreaContext.Provider value={area}>{props.children}</AreaContext.Provider>
}

/** Returns the columns and rows that this component may fill. */
export function useSize(): Size {
  return useContext(AreaContext)
}

/** Returns the area of the enclosing component: its size, and its position on the screen. */
export function useArea(): Area {
  return useContext(AreaContext)
}
