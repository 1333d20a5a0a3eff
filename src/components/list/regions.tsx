import { createContext, useContext, type ReactNode } from 'react'
import type { Screen } from '../../tui/terminal/screen.ts'

/** What a list needs to paint its rows past Ink. */
export type Regions = Pick<Screen, 'region'>

const RegionsContext = createContext<Regions | undefined>(undefined)

/** Without regions (component tests, screen readers) lists draw through Ink alone. */
export function RegionsProvider(props: { regions: Regions | undefined; children: ReactNode }) {
  return <RegionsContext.Provider value={props.regions}>{props.children}</RegionsContext.Provider>
}

export function useRegions(): Regions | undefined {
  return useContext(RegionsContext)
}
