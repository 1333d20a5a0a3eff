import { createContext, useContext } from 'react'

/** Where in the place a collection keeps its focus and its tab: one inside a row of another has params of its own. */
export type Level = {
  pane: string
  tab: string
  /** Out of it, to the row that holds it; absent at the top of the screen. */
  leave?: () => void
}

export const LevelContext = createContext<Level>({ pane: 'pane', tab: 'tab' })

export function useLevel(): Level {
  return useContext(LevelContext)
}
