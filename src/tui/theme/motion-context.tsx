import { createContext, useContext } from 'react'

const MotionContext = createContext(true)

export const MotionProvider = MotionContext.Provider

/**
 * Whether what works may turn and what changes may flash: not where a person wants it still, on a slow line, or while
 * nobody looks.
 */
export function useMotion(): boolean {
  return useContext(MotionContext)
}
