import {
  SCOPE_RANK,
  type Binding,
  type Bindings,
  type KeyHandler,
  type PressedKey,
  type Scope,
  type Unavailable,
} from './binding.ts'

/** Text fields take what they are typed; the owner says which keys count as text. */
export type TextSink = (text: string) => void

export type Layer = {
  bindings: Bindings
  handlers: () => Record<string, KeyHandler | Unavailable>
  /** Which overlay the layer belongs to; 0 is the page beneath all overlays. */
  depth: number
  /** Takes printable keys and pastes of a text field. */
  text?: TextSink
}

/** A binding as it stands now: with its full name and, where it can't be done, why. */
export type ActiveBinding = Binding & {
  name: string
  title: string
  scope: Scope
  unavailable: string | undefined
}

/** Bindings that no overlay stops: leaving at once must always be possible. */
const EVERYWHERE: ReadonlySet<string> = new Set(['app.interrupt', 'app.suspend', 'app.redraw'])

/** Keys that are text when a field has focus: one printable character. */
export function printable(key: PressedKey): string | undefined {
  if (key.name === 'space') return ' '
  return [...key.name].length === 1 && key.sequence === key.name ? key.name : undefined
}

/** The layers that may receive keys now, nearest first: those of the topmost overlay, and the app's own. */
function ranked(layers: ReadonlySet<Layer>): Layer[] {
  const depth = Math.max(0, ...[...layers].map(layer => layer.depth))
  return [...layers]
    .filter(layer => layer.depth === depth || layer.bindings.scope === 'app')
    .sort((a, b) => b.depth - a.depth || SCOPE_RANK[b.bindings.scope] - SCOPE_RANK[a.bindings.scope])
}

/** The layer of the focused text field, if there is one. */
export function fieldOf(layers: ReadonlySet<Layer>): Layer | undefined {
  return ranked(layers).find(layer => layer.text)
}

/** Whether an overlay stops this binding of the page beneath. */
function isCovered(order: readonly Layer[], layer: Layer, id: string): boolean {
  return order[0]?.depth !== 0 && layer.depth === 0 && !EVERYWHERE.has(`${layer.bindings.name}.${id}`)
}

export type Match = { binding: Binding; handler: KeyHandler | Unavailable }

/** The nearest binding that handles the key; a key that a text field takes as text matches nothing. */
export function findMatch(layers: ReadonlySet<Layer>, key: PressedKey): Match | undefined {
  const order = ranked(layers)
  const typing = fieldOf(layers) !== undefined && printable(key) !== undefined
  for (const layer of order) {
    if (typing && layer.bindings.scope !== 'field') continue
    for (const [id, binding] of Object.entries(layer.bindings.bindings)) {
      if (!binding.keys.includes(key.name) || isCovered(order, layer, id)) continue
      const handler = layer.handlers()[id]
      if (handler) return { binding, handler }
    }
  }
  return undefined
}

/** What a binding of the page does now, by its full name. */
export function handlerOf(layers: ReadonlySet<Layer>, name: string): KeyHandler | Unavailable | undefined {
  for (const layer of layers)
    for (const id of Object.keys(layer.bindings.bindings))
      if (layer.depth === 0 && `${layer.bindings.name}.${id}` === name) return layer.handlers()[id]
  return undefined
}

/** Every binding that would be found by one of its keys now, nearest first, with the keys that reach it. */
export function activeBindings(layers: ReadonlySet<Layer>): ActiveBinding[] {
  const order = ranked(layers)
  const typing = fieldOf(layers) !== undefined
  const seen = new Set<string>()
  return order.flatMap(layer =>
    Object.entries(layer.bindings.bindings).flatMap(([id, binding]) => {
      if (isCovered(order, layer, id)) return []
      const isText = (key: string): boolean =>
        typing && layer.bindings.scope !== 'field' && ([...key].length === 1 || key === 'space')
      const keys = binding.keys.filter(key => !isText(key) && !seen.has(key))
      if (keys.length === 0) return []
      for (const key of keys) seen.add(key)
      const handler = layer.handlers()[id]
      const unavailable = handler && 'unavailable' in handler ? handler.unavailable : undefined
      const { name, title, scope } = layer.bindings
      return [{ ...binding, keys, name: `${name}.${id}`, title, scope, unavailable }]
    }),
  )
}
