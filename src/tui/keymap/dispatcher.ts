import { displayKey, type Binding, type Bindings, type KeyHandler, type Need, type PressedKey } from './binding.ts'
import {
  activeBindings,
  EVERYWHERE,
  fieldOf,
  findMatch,
  handlerOf,
  printable,
  withheld,
  type ActiveBinding,
  type Forbidden,
  type Layer,
  type Match,
} from './layers.ts'

export type Dispatcher = {
  /** Adds a layer; the returned function removes it. */
  register(layer: Layer): () => void
  /** Reports that availability may have changed, so that hints and help are rendered again. */
  touch(): void
  /** Handles one batch of keys in order. Resolves when all were handled. */
  press(keys: readonly PressedKey[]): Promise<void>
  /** Runs an action in order with the keys, such as that of a click; the next key reaches the screen after it. */
  act(action: () => void): Promise<void>
  /** Pastes into the focused text field and nowhere else, so that a pasted newline never confirms. */
  paste(text: string): void
  /**
   * Handles lines that arrived at once. A focused text field receives them as a paste. Without a field they count as
   * keys pressed ahead on a slow connection. If there are too many for that, they count as a text, which is dropped and
   * reported.
   */
  burst(text: string, keys: readonly PressedKey[]): Promise<void>
  /** Does what the binding's key would do on the page below all overlays. */
  perform(binding: ActiveBinding): Promise<void>
  /** Disables everything that needs this, on any screen, with a reason; undefined enables it again. */
  withhold(need: 'service' | 'write', reason: string | undefined): void
  /** Sets what the person has no right to do here; the bindings that need it are disabled. */
  forbid(forbidden: Forbidden | undefined): void
  /** The group with its current keys. */
  bound<Id extends string>(group: Bindings<Id>): Bindings<Id>
  /** Returns the bindings that work now, closest scope first; a key taken by a closer one is left out. */
  active(): ActiveBinding[]
  /** The keys of a sequence pressed so far, and how it can continue. It waits without a time limit. */
  pending(): Pending | undefined
  subscribe(listener: () => void): () => void
  /** Changes whenever `active()` or `pending()` may have changed. */
  version(): number
}

export type Pending = { typed: string; continuations: ActiveBinding[] }

/** The pressed key's action is unavailable; the message says why. */
export class UnavailableAction extends Error {
  override readonly name = 'UnavailableAction'
}

export type DispatcherOptions = {
  /**
   * Resolves once the screen shows what earlier keys changed; awaited between keys of a burst whose binding does not
   * repeat, so that the next key reaches the expected screen.
   */
  settle: () => Promise<void>
  /** Receives errors of handlers, and {@link UnavailableAction}. */
  report: (error: unknown) => void
  /** Groups with changed keys, by name; other groups keep their own. */
  bindings?: readonly Bindings[]
}

/**
 * Maximum number of keys in lines that arrived at once for them to count as pressed ahead on a slow connection. More
 * are a pasted text.
 */
const MOST_BURST_KEYS = 64
const DROPPED_PASTE = 'The pasted text was dropped: no field is open for it.'

/** The dispatcher's state. */
type State = {
  layers: Set<Layer>
  /** The keys of a started sequence, separated by spaces; empty between sequences. */
  typed: string
  /** The binding of the last key, until the screen is known to show its effect. */
  unsettled: Binding | undefined
  touch: () => void
}

/** Turns keys into actions; nothing else does. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const layers = new Set<Layer>()
  const rebound = new Map(options.bindings?.map(group => [group.name, group]))
  const listeners = new Set<() => void>()
  const missing = new Map<Need, string>()
  let forbidden: Forbidden | undefined
  let version = 0
  let queue: Promise<void> = Promise.resolve()
  const touch = (): void => {
    version += 1
    for (const listener of listeners) listener()
  }
  const state: State = { layers, typed: '', unsettled: undefined, touch }
  const bound = <Id extends string>(group: Bindings<Id>): Bindings<Id> => rebound.get(group.name) ?? group
  return {
    register(declared) {
      const bindings = bound(declared.bindings)
      const handlers = () => withheld(bindings, declared.handlers(), missing, forbidden)
      const layer = { ...declared, bindings, handlers }
      layers.add(layer)
      touch()
      return () => {
        layers.delete(layer)
        touch()
      }
    },
    touch,
    withhold(need, reason) {
      if (missing.get(need) === reason) return
      if (reason === undefined) missing.delete(need)
      else missing.set(need, reason)
      touch()
    },
    forbid(next) {
      if (next === forbidden) return
      forbidden = next
      touch()
    },
    bound,
    press(keys) {
      queue = queue.then(() => handleBatch(state, keys, options)).catch(options.report)
      return queue
    },
    act(action) {
      queue = queue.then(() => actThenSettle(state, action, options)).catch(options.report)
      return queue
    },
    perform(binding) {
      queue = queue.then(() => performBinding(layers, binding, options)).catch(options.report)
      return queue
    },
    paste(text) {
      fieldOf(layers)?.text?.(text.replaceAll(/\r\n?/g, '\n'))
    },
    burst(text, keys) {
      queue = queue.then(() => handleBurst(state, { text, keys }, options)).catch(options.report)
      return queue
    },
    active: () => activeBindings(layers),
    pending() {
      const { typed } = state
      if (typed === '') return undefined
      const continuations = activeBindings(layers).flatMap(binding => {
        const keys = binding.keys.filter(key => key.startsWith(`${typed} `))
        return keys.length > 0 ? [{ ...binding, keys }] : []
      })
      return { typed, continuations }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
  }
}

async function handleBatch(
  state: State,
  keys: readonly PressedKey[],
  { settle, report }: DispatcherOptions,
): Promise<void> {
  const { layers } = state
  await settleBefore(state, keys[0], settle)
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!
    const typed = typedText(state, keys, index)
    if (typed) {
      fieldOf(layers)?.text?.(typed)
      index += [...typed].length - 1
      await settle()
      continue
    }
    const match = takeKey(state, key, report)
    if (!match) continue
    if (typeof match.handler === 'function') run(match.handler, key, report)
    else report(new UnavailableAction(match.handler.unavailable))
    const next = keys[index + 1]
    if (!next) {
      state.unsettled = match.binding
      return
    }
    const following = match.binding.repeats && findMatch(layers, next.name)
    if (typeof following !== 'object' || following.binding !== match.binding) await settle()
  }
}

async function handleBurst(
  state: State,
  { text, keys }: { text: string; keys: readonly PressedKey[] },
  options: DispatcherOptions,
): Promise<void> {
  await settleBefore(state, undefined, options.settle)
  const field = fieldOf(state.layers)
  if (field) {
    field.text?.(text.replaceAll(/\r\n?/g, '\n'))
    // Later keys of the same chunk apply to this text, so the screen must show it first.
    await options.settle()
  } else if (keys.length > 0 && keys.length <= MOST_BURST_KEYS) await handleBatch(state, keys, options)
  else options.report(new UnavailableAction(DROPPED_PASTE))
}

/**
 * Returns the meaning of a key, or of the sequence that it ends. A key that starts or continues a sequence is
 * remembered.
 */
function takeKey(state: State, key: PressedKey, report: (error: unknown) => void): Match | undefined {
  const before = state.typed
  const typed = before === '' ? key.name : `${before} ${key.name}`
  const found = findMatch(state.layers, typed)
  const now = found === 'prefix' ? typed : ''
  if (now !== before) {
    state.typed = now
    state.touch()
  }
  if (found === 'prefix') return undefined
  if (found || before === '') return found
  const alone = findMatch(state.layers, key.name)
  if (typeof alone === 'object' && EVERYWHERE.has(alone.name)) return alone
  if (key.name !== 'escape') report(new UnavailableAction(`Nothing is on ${displayKey(typed)}.`))
  return undefined
}

/** Returns the text of this key and those after it that a focused field takes together. */
function typedText(state: State, keys: readonly PressedKey[], from: number): string {
  const { layers } = state
  if (state.typed !== '' || !fieldOf(layers)) return ''
  let typed = ''
  for (const key of keys.slice(from)) {
    const text = printable(key)
    if (text === undefined || findMatch(layers, key.name)) break
    typed += text
  }
  return typed
}

/**
 * Waits for the screen unless the last key is repeated, so that keys that arrive in pieces reach the same screens as
 * keys that arrive at once.
 */
async function settleBefore(state: State, key: PressedKey | undefined, settle: () => Promise<void>): Promise<void> {
  const last = state.unsettled
  state.unsettled = undefined
  if (last === undefined) return
  const following = last.repeats && key && findMatch(state.layers, key.name)
  if (typeof following !== 'object' || following.binding !== last) await settle()
}

async function actThenSettle(state: State, action: () => void, { settle, report }: DispatcherOptions): Promise<void> {
  await settleBefore(state, undefined, settle)
  try {
    action()
  } catch (error) {
    report(error)
  }
  await settle()
}

/** Waits until overlays that were open have closed, because the action may open one. */
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
