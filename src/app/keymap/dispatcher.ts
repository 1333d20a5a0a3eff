import type { KeyHandler, PressedKey } from './binding.ts'
import {
  activeBindings,
  fieldOf,
  findMatch,
  handlerOf,
  printable,
  type ActiveBinding,
  type Layer,
} from './layers.ts'

export type Dispatcher = {
  /** Adds a layer; the returned function takes it out again. */
  register(layer: Layer): () => void
  /** Says that availability may have changed, so that hints and help are drawn again. */
  touch(): void
  /** Handles one batch of keys in order. Resolves when all were handled. */
  press(keys: readonly PressedKey[]): Promise<void>
  /** A paste: goes to the focused text field and nowhere else, so a pasted newline never confirms. */
  paste(text: string): void
  /** Does what the binding's key would do on the page beneath all overlays. */
  perform(binding: ActiveBinding): Promise<void>
  /** What works now, nearest scope first; a key shadowed by a nearer one is left out. */
  active(): ActiveBinding[]
  subscribe(listener: () => void): () => void
  /** Changes whenever `active()` may have. */
  version(): number
}

/** Someone pressed a key whose action cannot be done now; the message says why. */
export class UnavailableAction extends Error {
  override readonly name = 'UnavailableAction'
}

export type DispatcherOptions = {
  /**
   * Resolves once the screen shows what earlier keys changed; awaited between keys of a burst whose
   * binding does not repeat, so that the next key meets the screen the person expects.
   */
  settle: () => Promise<void>
  /** Receives what a handler threw, and {@link UnavailableAction}. */
  report: (error: unknown) => void
}

/** The only place where keys become actions. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const layers = new Set<Layer>()
  const listeners = new Set<() => void>()
  let version = 0
  let queue: Promise<void> = Promise.resolve()
  const touch = (): void => {
    version += 1
    for (const listener of listeners) listener()
  }
  return {
    register(layer) {
      layers.add(layer)
      touch()
      return () => {
        layers.delete(layer)
        touch()
      }
    },
    touch,
    press(keys) {
      queue = queue.then(() => handleBatch(layers, keys, options)).catch(options.report)
      return queue
    },
    perform(binding) {
      queue = queue.then(() => performBinding(layers, binding, options)).catch(options.report)
      return queue
    },
    paste(text) {
      fieldOf(layers)?.text?.(text.replace(/[\r\n]+/g, ' '))
    },
    active: () => activeBindings(layers),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
  }
}

async function handleBatch(
  layers: ReadonlySet<Layer>,
  keys: readonly PressedKey[],
  { settle, report }: DispatcherOptions,
): Promise<void> {
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!
    const typed = typedText(layers, keys, index)
    if (typed) {
      fieldOf(layers)?.text?.(typed)
      index += [...typed].length - 1
      await settle()
      continue
    }
    const match = findMatch(layers, key)
    if (!match) continue
    if (typeof match.handler === 'function') run(match.handler, key, report)
    else report(new UnavailableAction(match.handler.unavailable))
    const next = keys[index + 1]
    if (!next) return
    const repeats = match.binding.repeats && findMatch(layers, next)?.binding === match.binding
    if (!repeats) await settle()
  }
}

/** The text that starts at this key, as far as a focused field takes it in one piece. */
function typedText(layers: ReadonlySet<Layer>, keys: readonly PressedKey[], from: number): string {
  if (!fieldOf(layers)) return ''
  let typed = ''
  for (const key of keys.slice(from)) {
    const text = printable(key)
    if (text === undefined || findMatch(layers, key)) break
    typed += text
  }
  return typed
}

/** Waits until what was open above has closed, because the action may open something itself. */
async function performBinding(
  layers: ReadonlySet<Layer>,
  { name, keys }: ActiveBinding,
  { settle, report }: DispatcherOptions,
): Promise<void> {
  await settle()
  const handler = handlerOf(layers, name)
  const key = keys[0]
  if (!handler || key === undefined) return
  if (typeof handler === 'function') run(handler, { name: key, sequence: '' }, report)
  else report(new UnavailableAction(handler.unavailable))
}

function run(handler: KeyHandler, key: PressedKey, report: (error: unknown) => void): void {
  try {
    const outcome = handler(key)
    if (outcome instanceof Promise) outcome.catch(report)
  } catch (error) {
    report(error)
  }
}
