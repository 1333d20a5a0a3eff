import { createContext, useContext, type ReactNode } from 'react'
import type { Screen } from '../tui/terminal/screen.ts'

/**
 * What lists need to paint rows past Ink, fields to say where the caret is, overlays to quiet the page behind them,
 * pictures to be drawn by the terminal.
 */
export type Regions = Pick<Screen, 'region' | 'caret' | 'control' | 'onReply' | 'onEnter' | 'asks' | 'quiet'>

const RegionsContext = createContext<Regions | undefined>(undefined)

/** Without regions (component tests, screen readers) lists draw through Ink alone. */
export function RegionsProvider(props: { regions: Regions | undefined; children: ReactNode }) {
  return <RegionsContext.Provider value={props.regions}>{props.children}</RegionsContext.Provider>
}

export function useRegions(): Regions | undefined {
  return useContext(RegionsContext)
}
