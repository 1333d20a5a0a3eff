import { createContext, useContext, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { Tone } from '../tui/theme/theme.ts'

export type Toast = { id: number; tone: Tone; text: string }

/** A message that was shown, and when: milliseconds since 1970. */
export type Message = Pick<Toast, 'tone' | 'text'> & { at: number }

/** Maximum number of messages that stay readable after they left the screen. */
export const MOST_MESSAGES = 200

/** Milliseconds for which a message is shown; the same again for every further 80 characters. */
const MOMENT_MS = 3000
const CHARACTERS = 80
/** Failures are shown for longer. */
const FAILURE_MS = 12_000

function stayOf(tone: Tone, text: string, moment: number): number {
  return tone === 'error' ? FAILURE_MS : moment * Math.max(1, Math.ceil(text.length / CHARACTERS))
}

export type Toasts = {
  show(tone: Tone, text: string): void
  /** Removes messages because the person has started something else. */
  clear(): void
  /** Removes successes to make room for the keys of what opens now; failures stay for their time. */
  settle(): void
  current(): Toast | undefined
  /** Returns the messages since the start, newest first, at most `MOST_MESSAGES`. */
  messages(): readonly Message[]
  subscribe(listener: () => void): () => void
}

/**
 * Messages that are shown for a while, the newest in front. A success gives way to newer messages; the last failure
 * waits behind them, and is then shown for the rest of its time.
 * @param moment milliseconds for which a message of one line is shown
 */
export function createToasts(moment = MOMENT_MS): Toasts {
  let shown: readonly Toast[] = []
  let messages: readonly Message[] = []
  let next = 1
  /** Remaining milliseconds of a message, by its id. */
  const left = new Map<number, number>()
  let front: { id: number; since: number; timer: NodeJS.Timeout } | undefined
  const listeners = new Set<() => void>()
  const set = (value: readonly Toast[]): void => {
    if (front) {
      clearTimeout(front.timer)
      left.set(front.id, Math.max(0, left.get(front.id)! - (performance.now() - front.since)))
    }
    shown = value
    const id = shown.at(-1)?.id
    front = id === undefined ? undefined : { id, since: performance.now(), timer: leaves(id) }
    for (const known of left.keys()) if (shown.every(toast => toast.id !== known)) left.delete(known)
    for (const listener of listeners) listener()
  }
  const leaves = (id: number): NodeJS.Timeout =>
    setTimeout(() => set(shown.filter(other => other.id !== id)), left.get(id)).unref()
  const bad = (): readonly Toast[] => shown.filter(({ tone }) => tone === 'error' || tone === 'warn')
  return {
    show(tone, text) {
      const toast = { id: next, tone, text }
      next += 1
      messages = [{ tone, text, at: Date.now() }, ...messages].slice(0, MOST_MESSAGES)
      left.set(toast.id, stayOf(tone, text, moment))
      // A repeated message counts once; of older failures only the last is kept on screen, and all stay in the
      // messages.
      const before = bad().filter(each => each.text !== text)
      set([...before.slice(-1), toast])
    },
    clear() {
      if (shown.length > 0) set([])
    },
    settle() {
      if (shown.length > bad().length) set(bad())
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
  const [own] = useState(() => createToasts())
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
