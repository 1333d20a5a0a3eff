import { clean, printable } from '../lib/printable.ts'
import { createContext, useContext, type ReactNode } from 'react'
import { useToasts } from './toasts.tsx'

/** Copies a text to the clipboard; returns the reason if that failed, else undefined. */
export type Copy = (text: string) => string | undefined

const CopyContext = createContext<Copy>(() => 'Nothing can be copied here.')

/** Lets its children copy texts to the clipboard of the person's terminal. */
export function CopyProvider(props: { copy: Copy; children: ReactNode }) {
  return <CopyContext.Provider value={props.copy}>{props.children}</CopyContext.Provider>
}

/**
 * `value` is one line, such as an id or an address, that runs nothing when pasted into a shell; `text` keeps its lines
 * and tabs.
 */
export type CopyKind = 'value' | 'text'

/** Copies a text and reports what was copied, or why it could not be. Unprintable characters become visible. */
export function useCopy(): (text: string, sentence: string, kind?: CopyKind) => void {
  const copy = useContext(CopyContext)
  const toasts = useToasts()
  return (text, sentence, kind = 'value') => {
    const reason = copy(kind === 'text' ? printable(text) : clean(text))
    if (reason === undefined) toasts.show('ok', sentence)
    else toasts.show('warn', reason)
  }
}
