import { createContext, useContext } from 'react'

const MotionContext = createContext(true)

export const MotionProvider = MotionContext.Provider

/** Whether animations are shown: not if the person turned them off, on a slow connection, or while nobody looks. */
export function useMotion(): boolean {
  return useContext(MotionContext)
}
