import { createContext, useContext, type ReactNode } from 'react'
import type { Screen } from '../tui/terminal/screen.ts'

/**
 * Screen functions for lists that paint rows without Ink, fields that place the cursor, overlays that mute the page
 * behind them, and pictures drawn by the terminal.
 */
export type Regions = Pick<Screen, 'region' | 'caret' | 'control' | 'onReply' | 'onEnter' | 'asks' | 'quiet'>

const RegionsContext = createContext<Regions | undefined>(undefined)

/** Without regions (component tests, screen readers) lists are drawn only by Ink. */
export function RegionsProvider(props: { regions: Regions | undefined; children: ReactNode }) {
  return <RegionsContext.Provider value={props.regions}>{props.children}</RegionsContext.Provider>
}

export function useRegions(): Regions | undefined {
  return useContext(RegionsContext)
}
