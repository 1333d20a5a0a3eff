import { createContext, useContext } from 'react'

/** The parameters of the place for a collection's focus and tab; a collection inside a row has its own. */
export type Level = {
  pane: string
  tab: string
  /** Returns to the parent row; absent at the top level. */
  leave?: () => void
}

export const LevelContext = createContext<Level>({ pane: 'pane', tab: 'tab' })

export function useLevel(): Level {
  return useContext(LevelContext)
}
