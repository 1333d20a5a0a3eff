import { createContext, useContext, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { Tone } from '../app/theme/theme.ts'

export type Toast = { id: number; tone: Tone; text: string }

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
  subscribe(listener: () => void): () => void
}

/** Sentences shown in the footer for a while, the newest in front. */
export function createToasts(): Toasts {
  let shown: readonly Toast[] = []
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
      set([...shown, toast])
      setTimeout(
        () => set(shown.filter(other => other.id !== toast.id)),
        STAY[tone] ?? STAY_OTHERWISE,
      ).unref()
    },
    clear() {
      if (shown.length > 0) set([])
    },
    settle() {
      if (shown.some(({ tone }) => tone === 'ok')) set(shown.filter(({ tone }) => tone !== 'ok'))
    },
    current: () => shown.at(-1),
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
