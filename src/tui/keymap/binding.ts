import { VERBS, type Verb } from './verbs.ts'

/**
 * How near to the person a group of bindings is. A key goes to the nearest group that has a
 * handler for it, never to whichever mounted last: prompt, overlay, text field, focused panel, screen, app.
 * A prompt is a question inside something else (what to search for in a text), answered before that gets keys again.
 */
export type Scope = 'prompt' | 'overlay' | 'field' | 'panel' | 'screen' | 'app'

export const SCOPE_RANK: Record<Scope, number> = { app: 0, screen: 1, panel: 2, field: 3, overlay: 4, prompt: 5 }

/**
 * What an action cannot do without: the service's answer, the right to change something there, or the right to the
 * operation that it sends, as the contract names it (`runs.cancel`).
 */
export type Need = 'service' | 'write' | `${string}.${string}`

export type Binding = {
  /** What its letter or sign means wherever it is; see {@link on}. */
  verb?: Verb
  /**
   * Canonical key names, such as `j`, `down`, `ctrl+d`, `enter`, `shift+tab`. The first is shown.
   * Several with a space between them are pressed one after the other: `, r`.
   */
  keys: readonly string[]
  /** What it does, two or three words: shown in the footer. */
  label: string
  /** Longer sentence for help, where the label is not enough. */
  help?: string
  /**
   * Shown in the footer while it works, by importance: `end` keeps the right end whatever else there is; `first` is
   * what one comes for, then come those of the place; `spare` is at the right end too where these leave room, and
   * `later` those of every list.
   */
  hint?: 'first' | true | 'later' | 'end' | 'spare'
  /** Its action depends on which of its keys was pressed, so it cannot be run without a key. */
  byKey?: true
  /** Absent if it works on what is here: then neither a lost line nor a read-only profile stops it. */
  needs?: Need
  /** May be handled many times within one burst of input without waiting for a redraw. */
  repeats?: boolean
}

export type Bindings<Id extends string = string> = {
  /** Prefix of the full binding name, such as `runs` in `runs.cancel`. */
  name: string
  scope: Scope
  /** It goes before other groups of its scope, whichever is there longer. */
  isFirst?: true
  /** Heading in help. */
  title: string
  /** The screen it belongs to, as its route names it; absent = it can be anywhere. */
  screen?: string
  bindings: Record<Id, Binding>
}

/** A binding on the key of a verb; `also` are others that do the same and are no letters, such as `enter`. */
export function on(
  verb: Verb,
  label: string,
  { also = [], ...rest }: Omit<Binding, 'verb' | 'keys' | 'label'> & { also?: readonly string[] } = {},
): Binding {
  return { verb, keys: [VERBS[verb].key, ...also], label, ...rest }
}

type Group = <const Id extends string>(name: string, title: string, bindings: Record<Id, Binding>) => Bindings<Id>

/**
 * Declares the bindings of a screen, or of any, one group a place; footer, help, overrides and docs read the same data.
 * `first` is a panel's group that goes before the others.
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

/** Stands in for a handler where the action cannot be done now, and says why. */
export type Unavailable = { unavailable: string }
export function unavailable(reason: string): Unavailable {
  return { unavailable: reason }
}

/** A handler gets the key that was pressed; what it returns is ignored, and a rejection is reported. */
export type KeyHandler = (key: PressedKey) => void | Promise<void>
export type Handlers<Id extends string> = Record<Id, KeyHandler | Unavailable>

/** One key as the terminal layer decodes it. */
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

/** The key's name as people read it: `ctrl+d` is `Ctrl+D`, `, space` is `, Space`. */
export function displayKey(key: string): string {
  if (key.includes(' ')) return key.split(' ').map(displayKey).join(' ')
  if (DISPLAY[key]) return DISPLAY[key]
  if (/^f\d+$/.test(key)) return key.toUpperCase()
  if (key.startsWith('ctrl+')) return `Ctrl+${displayKey(key.slice(5)).toUpperCase()}`
  if (key.startsWith('alt+')) return `Alt+${displayKey(key.slice(4))}`
  return key
}
