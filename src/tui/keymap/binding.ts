import { VERBS, type Verb } from './verbs.ts'

/**
 * How close to the person a group of bindings is. A key goes to the closest group that has a handler for it, never to
 * whichever mounted last: prompt, overlay, text field, focused panel, screen, app. A prompt is a question inside
 * something else (the text to search for), which is answered before that receives keys again.
 */
export type Scope = 'prompt' | 'overlay' | 'field' | 'panel' | 'screen' | 'app'

export const SCOPE_RANK: Record<Scope, number> = { app: 0, screen: 1, panel: 2, field: 3, overlay: 4, prompt: 5 }

/**
 * The requirement of an action: an answering service, the right to change something there, or the right to the
 * operation that it sends, as named in the contract (`runs.cancel`).
 */
export type Need = 'service' | 'write' | `${string}.${string}`

export type Binding = {
  /** The meaning of its letter or sign on every screen; see {@link on}. */
  verb?: Verb
  /**
   * Canonical key names, such as `j`, `down`, `ctrl+d`, `enter`, `shift+tab`. The first is shown. Keys separated by a
   * space are pressed in sequence: `, r`.
   */
  keys: readonly string[]
  /** Describes its action in two or three words, for the footer. */
  label: string
  /** A longer sentence for help, if the label is not enough. */
  help?: string
  /**
   * Where the footer shows the binding: `first` for the main action; `true` for other actions of the screen, which come
   * next; `later` for actions of every list; `end` always at the right end; `spare` too, if there is room.
   */
  hint?: 'first' | true | 'later' | 'end' | 'spare'
  /** Whether its action depends on which of its keys was pressed, so that it cannot be run without a key. */
  byKey?: true
  /** Absent if it only uses local data: then neither a lost connection nor a read-only profile disables it. */
  needs?: Need
  /** Whether it may run many times within one burst of input without waiting for a render. */
  repeats?: boolean
}

export type Bindings<Id extends string = string> = {
  /** Prefix of the full binding name, such as `runs` in `runs.cancel`. */
  name: string
  scope: Scope
  /** Whether it precedes other groups of its scope, whichever was mounted first. */
  isFirst?: true
  /** Heading in help. */
  title: string
  /** The screen it belongs to, by route name; absent = it can be anywhere. */
  screen?: string
  bindings: Record<Id, Binding>
}

/**
 * Returns a binding on the key of a verb; `also` lists other keys that do the same and are not letters, such as
 * `enter`.
 */
export function on(
  verb: Verb,
  label: string,
  { also = [], ...rest }: Omit<Binding, 'verb' | 'keys' | 'label'> & { also?: readonly string[] } = {},
): Binding {
  return { verb, keys: [VERBS[verb].key, ...also], label, ...rest }
}

type Group = <const Id extends string>(name: string, title: string, bindings: Record<Id, Binding>) => Bindings<Id>

/**
 * Declares groups of bindings, each for one scope: those of a screen, or without a name those for all screens. Footer,
 * help, overrides and docs use the same data. `first` is the group of a panel that precedes its other groups.
 */
export function bindingsOf(screen?: string): Record<Scope | 'first', Group> {
  const group =
    (scope: Scope, more: { isFirst?: true } = {}): Group =>
    (name, title, bindings) => ({ name, scope, ...more, ...(screen !== undefined && { screen }), title, bindings })
  return {
    prompt: group('prompt'),
    overlay: group('overlay'),
    field: group('field'),
    first: group('panel', { isFirst: true }),
    panel: group('panel'),
    screen: group('screen'),
    app: group('app'),
  }
}

/** Takes the place of a handler while the action is unavailable, and says why. */
export type Unavailable = { unavailable: string }
export function unavailable(reason: string): Unavailable {
  return { unavailable: reason }
}

/** A handler receives the pressed key; its result is ignored, and a rejection is reported. */
export type KeyHandler = (key: PressedKey) => void | Promise<void>
export type Handlers<Id extends string> = Record<Id, KeyHandler | Unavailable>

/** A key as decoded by the terminal layer. */
export type PressedKey = { name: string; sequence: string }

const DISPLAY: Record<string, string> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: 'Enter',
  escape: 'Esc',
  tab: 'Tab',
  'shift+tab': 'Shift+Tab',
  space: 'Space',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  backspace: 'Backspace',
  delete: 'Del',
}

/** Returns the displayed name of a key: `ctrl+d` is `Ctrl+D`, `, space` is `, Space`. */
export function displayKey(key: string): string {
  if (key.includes(' ')) return key.split(' ').map(displayKey).join(' ')
  if (DISPLAY[key]) return DISPLAY[key]
  if (/^f\d+$/.test(key)) return key.toUpperCase()
  if (key.startsWith('ctrl+')) return `Ctrl+${displayKey(key.slice(5)).toUpperCase()}`
  if (key.startsWith('alt+')) return `Alt+${displayKey(key.slice(4))}`
  return key
}
