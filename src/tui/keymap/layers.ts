import {
  SCOPE_RANK,
  unavailable,
  type Binding,
  type Bindings,
  type KeyHandler,
  type Need,
  type PressedKey,
  type Scope,
  type Unavailable,
} from './binding.ts'

/** Returns why the person may not do what has this need; undefined if they may, or if that is unknown. */
export type Forbidden = (need: Need) => string | undefined

/** Receives what is typed into a text field, and pastes, in which each line break is `\n`. */
export type TextSink = (text: string) => void

export type Layer = {
  bindings: Bindings
  handlers: () => Record<string, KeyHandler | Unavailable>
  /** The overlay that the layer belongs to; 0 is the page below all overlays. */
  depth: number
  /** Receives printable keys and pastes of a text field. */
  text?: TextSink
}

/** The current state of a binding: with its full name and, if it is unavailable, the reason. */
export type ActiveBinding = Binding & {
  name: string
  title: string
  scope: Scope
  screen?: string
  unavailable: string | undefined
}

/**
 * Bindings that no overlay and no started sequence stops: leaving must always be possible, and so must stopping tasks
 * shown in the footer.
 */
export const EVERYWHERE: ReadonlySet<string> = new Set(['app.interrupt', 'app.suspend', 'app.redraw', 'app.stop'])

/** Returns the character of a key that is text if a field has the focus: one printable character. */
export function printable(key: PressedKey): string | undefined {
  if (key.name === 'space') return ' '
  return [...key.name].length === 1 && key.sequence === key.name ? key.name : undefined
}

/** Returns the layers that may receive keys now, closest first: those of the topmost overlay, and the app's own. */
function ranked(layers: ReadonlySet<Layer>): Layer[] {
  const depth = Math.max(0, ...[...layers].map(layer => layer.depth))
  return [...layers]
    .filter(layer => layer.depth === depth || layer.bindings.scope === 'app')
    .sort((a, b) => b.depth - a.depth || rankOf(b) - rankOf(a))
}

function rankOf({ bindings: { scope, isFirst } }: Layer): number {
  return SCOPE_RANK[scope] + (isFirst ? 0.5 : 0)
}

/** Returns the layer of the focused text field, if there is one. */
export function fieldOf(layers: ReadonlySet<Layer>): Layer | undefined {
  return ranked(layers).find(layer => layer.text)
}

/** Whether an overlay blocks this binding of the page below. */
function isCovered(order: readonly Layer[], layer: Layer, id: string): boolean {
  return order[0]?.depth !== 0 && layer.depth === 0 && !EVERYWHERE.has(`${layer.bindings.name}.${id}`)
}

export type Match = { name: string; binding: Binding; handler: KeyHandler | Unavailable }

/** Whether a focused text field takes the key, or the first of the sequence, as text. */
function isTyped(layer: Layer, key: string, typing: boolean): boolean {
  if (!typing || layer.bindings.scope === 'field') return false
  const first = key.split(' ')[0]!
  return [...first].length === 1 || first === 'space'
}

/**
 * Finds the meaning of a key, or of a sequence of keys separated by spaces, in the closest group that knows it: a
 * binding, or the beginning of longer sequences. A key that a text field takes as text has no meaning.
 */
export function findMatch(layers: ReadonlySet<Layer>, key: string): Match | 'prefix' | undefined {
  const order = ranked(layers)
  const typing = fieldOf(layers) !== undefined
  for (const layer of order) {
    if (isTyped(layer, key, typing)) continue
    let isPrefix = false
    for (const [id, binding] of Object.entries(layer.bindings.bindings)) {
      if (isCovered(order, layer, id)) continue
      isPrefix ||= binding.keys.some(other => other.startsWith(`${key} `))
      const handler = binding.keys.includes(key) ? layer.handlers()[id] : undefined
      if (handler) return { name: `${layer.bindings.name}.${id}`, binding, handler }
    }
    if (isPrefix) return 'prefix'
  }
  return undefined
}

/**
 * Returns the handlers of a group while some needs are not met: affected ones say why they wait, whatever else would
 * disable them. A write needs the service too.
 */
export function withheld(
  group: Bindings,
  handlers: Record<string, KeyHandler | Unavailable>,
  reasons: ReadonlyMap<Need, string>,
  forbidden: Forbidden | undefined,
): Record<string, KeyHandler | Unavailable> {
  if (reasons.size === 0 && !forbidden) return handlers
  const entries = Object.entries(handlers).map(([id, handler]) => {
    const need = group.bindings[id]?.needs
    const reason = need && ((need !== 'service' && reasons.get('write')) || reasons.get('service') || forbidden?.(need))
    return [id, reason ? unavailable(reason) : handler] as const
  })
  return Object.fromEntries(entries)
}

/** Returns the handler of a page's binding, by its full name. */
export function handlerOf(layers: ReadonlySet<Layer>, name: string): KeyHandler | Unavailable | undefined {
  for (const layer of layers)
    for (const id of Object.keys(layer.bindings.bindings))
      if (layer.depth === 0 && `${layer.bindings.name}.${id}` === name) return layer.handlers()[id]
  return undefined
}

/** Returns every binding that one of its keys would reach now, nearest first, with those keys. */
export function activeBindings(layers: ReadonlySet<Layer>): ActiveBinding[] {
  const order = ranked(layers)
  const typing = fieldOf(layers) !== undefined
  const shadows = createShadows()
  return order.flatMap(layer => {
    const found = Object.entries(layer.bindings.bindings).flatMap(([id, binding]) => {
      if (isCovered(order, layer, id)) return []
      const keys = binding.keys.filter(key => !isTyped(layer, key, typing) && !shadows.cover(key))
      if (keys.length === 0) return []
      const handler = layer.handlers()[id]
      const unavailable = handler && 'unavailable' in handler ? handler.unavailable : undefined
      const { name, title, scope, screen } = layer.bindings
      const own = { ...binding, keys, name: `${name}.${id}`, title, scope, unavailable }
      return [screen === undefined ? own : { ...own, screen }]
    })
    for (const { keys } of found) keys.forEach(shadows.add)
    return found
  })
}

/** Returns the shorter sequences that a sequence starts with: `g` for `g r`. */
export function beginnings(key: string): string[] {
  const parts = key.split(' ')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(' '))
}

/**
 * Collects the keys that nearer groups have taken. They also cover sequences that begin with them, and their own
 * beginnings.
 */
function createShadows() {
  const taken = new Set<string>()
  const begun = new Set<string>()
  return {
    add(key: string): void {
      taken.add(key)
      for (const beginning of beginnings(key)) begun.add(beginning)
    },
    cover: (key: string): boolean =>
      taken.has(key) || begun.has(key) || beginnings(key).some(beginning => taken.has(beginning)),
  }
}
