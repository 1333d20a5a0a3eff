import { createContext, useContext, type ReactNode } from 'react'

export type Notify = (tone: 'ok' | 'warn' | 'error', sentence: string) => void

const NotifyContext = createContext<Notify>(() => undefined)

export function NotifyProvider(props: { notify: Notify; children: ReactNode }) {
  return <NotifyContext.Provider value={props.notify}>{props.children}</NotifyContext.Provider>
}

/** Returns a function that shows one sentence to the person, in the shell's place for such messages. */
export function useNotify(): Notify {
  return useContext(NotifyContext)
}
