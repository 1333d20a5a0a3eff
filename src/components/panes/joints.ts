import { createContext, useContext } from 'react'

/** A pane's neighbours in its group, with which it shares a line; the focused one lends it its colour. */
export type Joints = {
  /** Something is open above the group, and has its keys: none of its panes looks focused. */
  covered?: boolean
  /** Stands at the left, and draws the line between them. */
  left?: Neighbour
  right?: Neighbour
  /** Stands above; the line between them is drawn below it. */
  above?: Neighbour
  below?: Neighbour
}

type Neighbour = { focused: boolean }

/** Tells a pane in which column of the screen a line inside it comes down to its bottom edge; undefined for none. */
export const FootContext = createContext<((column: number | undefined) => void) | undefined>(undefined)

const ALONE: Joints = {}
const JointsContext = createContext<Joints>(ALONE)

export const JointsProvider = JointsContext.Provider

/** The neighbours of the pane that draws itself here. */
export function useJoints(): Joints {
  return useContext(JointsContext)
}

/** The neighbours of the pane at `index` among those that show. */
export function jointsAt(shown: readonly Neighbour[], index: number, stacked: boolean): Joints {
  const [before, after] = [shown[index - 1], shown[index + 1]]
  if (stacked) return { ...(before && { above: before }), ...(after && { below: after }) }
  return { ...(before && { left: before }), ...(after && { right: after }) }
}
