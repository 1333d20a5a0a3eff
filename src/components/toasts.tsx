import { createContext, useContext, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { Tone } from '../tui/theme/theme.ts'

export type Toast = { id: number; tone: Tone; text: string }

/** A sentence that was shown, and when: milliseconds since 1970. */
export type Message = Pick<Toast, 'tone' | 'text'> & { at: number }

/** Most sentences that stay readable after they left the footer. */
export const MOST_MESSAGES = 200

/** How long a sentence stays, in milliseconds; bad news stays longer. */
const STAY: Partial<Record<Tone, number>> = { error: 12_000, warn: 8_000 }
const STAY_OTHERWISE = 4_000

export type Toasts = {
  show(tone: Tone, text: string): void
  /** What was said is over: the person has begun something else. */
  clear(): void
  /** Good news makes room for the keys of what opens now; bad news stays for its time. */
  settle(): void
  current(): Toast | undefined
  /** What was shown since the start, the newest first, at most `MOST_MESSAGES`. */
  messages(): readonly Message[]
  subscribe(listener: () => void): () => void
}

/** Sentences shown in the footer for a while, the newest in front. */
export function createToasts(): Toasts {
  let shown: readonly Toast[] = []
  let messages: readonly Message[] = []
  let next = 1
  const listeners = new Set<() => void>()
  const set = (value: readonly Toast[]): void => {
    shown = value
    for (const listener of listeners) listener()
  }
  return {
    show(tone, text) {
      const toast = { id: next, tone, text }
      next += 1
      messages = [{ tone, text, at: Date.now() }, ...messages].slice(0, MOST_MESSAGES)
      set([...shown, toast])
      setTimeout(() => set(shown.filter(other => other.id !== toast.id)), STAY[tone] ?? STAY_OTHERWISE).unref()
    },
    clear() {
      if (shown.length > 0) set([])
    },
    settle() {
      if (shown.some(({ tone }) => tone === 'ok')) set(shown.filter(({ tone }) => tone !== 'ok'))
    },
    current: () => shown.at(-1),
    messages: () => messages,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const ToastsContext = createContext<Toasts | undefined>(undefined)

export function ToastsProvider(props: { toasts?: Toasts; children: ReactNode }) {
  const [own] = useState(createToasts)
  return <ToastsContext.Provider value={props.toasts ?? own}>{props.children}</ToastsContext.Provider>
}

export function useToasts(): Toasts {
  const toasts = useContext(ToastsContext)
  if (!toasts) throw new Error('ToastsProvider is missing')
  return toasts
}

export function useCurrentToast(): Toast | undefined {
  const toasts = useToasts()
  return useSyncExternalStore(toasts.subscribe, toasts.current)
}
