import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { displayKey, type Bindings, type Handlers } from './binding.ts'
import type { Pending } from './dispatcher.ts'
import type { ActiveBinding, TextSink } from './layers.ts'
import { useKeymap } from './keymap-context.tsx'

/** Joins the reasons why actions are unavailable, so that a change of availability can be detected. */
function availability(handlers: Handlers<string>): string {
  return Object.entries(handlers)
    .map(([id, handler]) => ('unavailable' in handler ? `${id}:${handler.unavailable}` : ''))
    .join('\n')
}

/**
 * Connects declared bindings to handlers while the component is mounted and `active`. Every id needs a function or
 * `unavailable('why')`. Handlers may change on every render: the layer keeps its position, so rendering never changes
 * the routing.
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

/** Returns the bindings that work now, nearest first; renders again when they change. */
export function useActiveBindings(): ActiveBinding[] {
  const { dispatcher } = useKeymap()
  useSyncExternalStore(dispatcher.subscribe, dispatcher.version)
  return dispatcher.active()
}

/** Returns the started sequence of keys, if there is one; renders again when it changes. */
export function usePendingKeys(): Pending | undefined {
  const { dispatcher } = useKeymap()
  useSyncExternalStore(dispatcher.subscribe, dispatcher.version)
  return dispatcher.pending()
}

/**
 * Returns a function that names the key of a binding in a sentence, with the person's own keys: `Press ${key(runsKeys,
 * 'launch')} to launch it.` Never write a key into a text, since people can change keys.
 */
export function useKeyName(): <Id extends string>(group: Bindings<Id>, id: NoInfer<Id>) => string {
  const { dispatcher } = useKeymap()
  return (group, id) => displayKey(dispatcher.bound(group).bindings[id].keys[0] ?? '')
}
