import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { Bindings, Handlers } from './binding.ts'
import type { Pending } from './dispatcher.ts'
import type { ActiveBinding, TextSink } from './layers.ts'
import { useKeymap } from './keymap-context.tsx'

/** Text of all reasons, to notice when availability changed. */
function availability(handlers: Handlers<string>): string {
  return Object.entries(handlers)
    .map(([id, handler]) => ('unavailable' in handler ? `${id}:${handler.unavailable}` : ''))
    .join('\n')
}

/**
 * Connects declared bindings to handlers while the component is mounted and `active`.
 * Every id wants a function or `unavailable('why')`. Handlers may change on every render:
 * the layer stays where it is, so rendering never alters routing.
 */
export function useBindings<Id extends string>(
  bindings: Bindings<Id>,
  handlers: Handlers<Id>,
  options: { active?: boolean; text?: TextSink } = {},
): void {
  const { dispatcher, depth } = useKeymap()
  const active = options.active ?? true
  const current = useRef(handlers)
  const text = useRef(options.text)
  const takesText = options.text !== undefined
  useLayoutEffect(() => {
    current.current = handlers
    text.current = options.text
  })
  useLayoutEffect(() => {
    if (!active) return undefined
    return dispatcher.register({
      bindings,
      handlers: () => current.current,
      depth,
      ...(takesText && { text: (typed: string) => text.current?.(typed) }),
    })
  }, [dispatcher, bindings, depth, active, takesText])
  const reasons = availability(handlers)
  useEffect(() => {
    if (active) dispatcher.touch()
  }, [dispatcher, active, reasons])
}

/** The bindings that work now, nearest first; draws again when they change. */
export function useActiveBindings(): ActiveBinding[] {
  const { dispatcher } = useKeymap()
  useSyncExternalStore(dispatcher.subscribe, dispatcher.version)
  return dispatcher.active()
}

/** The sequence of keys that has begun, if one has; draws again when that changes. */
export function usePendingKeys(): Pending | undefined {
  const { dispatcher } = useKeymap()
  useSyncExternalStore(dispatcher.subscribe, dispatcher.version)
  return dispatcher.pending()
}
