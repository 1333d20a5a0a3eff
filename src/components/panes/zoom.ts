import { createContext, useContext } from 'react'

const ZoomContext = createContext(false)

/** Provides whether the pane below fills the room of its neighbors. */
export const ZoomProvider = ZoomContext.Provider

export function useZoomed(): boolean {
  return useContext(ZoomContext)
}
