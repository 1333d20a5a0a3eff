import { clean, printable } from '../lib/printable.ts'
import { createContext, useContext, type ReactNode } from 'react'
import { useToasts } from './toasts.tsx'

/** Puts a text on the clipboard; answers why it could not, or nothing. */
export type Copy = (text: string) => string | undefined

const CopyContext = createContext<Copy>(() => 'Nothing can be copied here.')

/** Below it texts can be put on the clipboard of the person's terminal. */
export function CopyProvider(props: { copy: Copy; children: ReactNode }) {
  return <CopyContext.Provider value={props.copy}>{props.children}</CopyContext.Provider>
}

/**
 * `value` is one line, such as an id or an address, which pasted into a shell runs nothing; `text` keeps its lines and
 * tabs.
 */
export type CopyKind = 'value' | 'text'

/** Copies a text and says what was copied, or why it could not be. What is not printable in it becomes visible. */
export function useCopy(): (text: string, sentence: string, kind?: CopyKind) => void {
  const copy = useContext(CopyContext)
  const toasts = useToasts()
  return (text, sentence, kind = 'value') => {
    const reason = copy(kind === 'text' ? printable(text) : clean(text))
    if (reason === undefined) toasts.show('ok', sentence)
    else toasts.show('warn', reason)
  }
}
