import { createContext, useContext } from 'react'

/** A pane's neighbors in its group, with which it shares a border; the focused one sets the border's color. */
export type Joints = {
  /** Something with its own keys is open above the group, so none of its panes looks focused. */
  covered?: boolean
  /** The left neighbor, which draws the border between them. */
  left?: Neighbour
  right?: Neighbour
  /** The neighbor above; the border between them is drawn below it. */
  above?: Neighbour
  below?: Neighbour
}

type Neighbour = { focused: boolean }

/** Tells a pane the screen column in which a line inside it reaches its bottom edge; undefined for none. */
export const FootContext = createContext<((column: number | undefined) => void) | undefined>(undefined)

const ALONE: Joints = {}
const JointsContext = createContext<Joints>(ALONE)

export const JointsProvider = JointsContext.Provider

/** Returns the neighbors of the pane that is being drawn. */
export function useJoints(): Joints {
  return useContext(JointsContext)
}

/** Returns the neighbors of the pane at `index` among the visible ones. */
export function jointsAt(shown: readonly Neighbour[], index: number, stacked: boolean): Joints {
  const [before, after] = [shown[index - 1], shown[index + 1]]
  if (stacked) return { ...(before && { above: before }), ...(after && { below: after }) }
  return { ...(before && { left: before }), ...(after && { right: after }) }
}
