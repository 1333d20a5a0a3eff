import { createContext, useContext } from 'react'

const ZoomContext = createContext(false)

/** Says whether the pane below has taken the room of its neighbours. */
export const ZoomProvider = ZoomContext.Provider

export function useZoomed(): boolean {
  return useContext(ZoomContext)
}
