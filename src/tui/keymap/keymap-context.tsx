import { createContext, useContext, type ReactNode } from 'react'
import type { Dispatcher } from './dispatcher.ts'

/** How a focused Ink widget (text or select input) is fed: the only door from keys to Ink's own input. */
export type WidgetFeed = (sequence: string) => void

type Keymap = { dispatcher: Dispatcher; feed: WidgetFeed; depth: number }

const KeymapContext = createContext<Keymap | undefined>(undefined)

export function KeymapProvider(props: { dispatcher: Dispatcher; feed: WidgetFeed; children: ReactNode }) {
  return (
    <KeymapContext.Provider value={{ dispatcher: props.dispatcher, feed: props.feed, depth: 0 }}>
      {props.children}
    </KeymapContext.Provider>
  )
}

/** Everything below belongs to the overlay at this depth: keys stop there. */
export function OverlayScope(props: { depth: number; children: ReactNode }) {
  const keymap = useKeymap()
  return <KeymapContext.Provider value={{ ...keymap, depth: props.depth }}>{props.children}</KeymapContext.Provider>
}

export function useKeymap(): Keymap {
  const keymap = useContext(KeymapContext)
  if (!keymap) throw new Error('KeymapProvider is missing')
  return keymap
}
