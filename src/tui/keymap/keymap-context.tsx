import { createContext, useContext, type ReactNode } from 'react'
import type { Dispatcher } from './dispatcher.ts'

/** Feeds a focused Ink widget (text or select input): the only way for keys to reach Ink's own input. */
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

/** Bindings of everything inside belong to the overlay at this depth, which keys do not leave. */
export function OverlayScope(props: { depth: number; children: ReactNode }) {
  const keymap = useKeymap()
  return <KeymapContext.Provider value={{ ...keymap, depth: props.depth }}>{props.children}</KeymapContext.Provider>
}

export function useKeymap(): Keymap {
  const keymap = useContext(KeymapContext)
  if (!keymap) throw new Error('KeymapProvider is missing')
  return keymap
}
