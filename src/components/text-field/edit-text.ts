import { segmentsOf } from '../../tui/theme/text.ts'

/**
 * A text that is being edited. `cursor` is the offset in UTF-16 units of the character that it is on, always where a
 * grapheme begins, or the text's length; `killed` is what was cut last.
 */
export type EditedText = { readonly text: string; readonly cursor: number; readonly killed: string }

/** What readline's keys do; a text of several lines has a start and an end on each of them. */
export type EditAction =
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'lineStart'
  | 'lineEnd'
  | 'erase'
  | 'delete'
  | 'killWordLeft'
  | 'killWordRight'
  | 'killToStart'
  | 'killToEnd'
  | 'yank'

const WORD = /[\p{L}\p{M}\p{N}_]/u

/** The text with the cursor behind it. */
export function editedText(text: string): EditedText {
  return { text, cursor: text.length, killed: '' }
}

/** The same cursor in a text that somebody else has set. */
export function withText(state: EditedText, text: string): EditedText {
  return { ...state, text, cursor: boundary(text, Math.min(state.cursor, text.length)) }
}

/** The cursor at an offset, or behind the character that begins before it. */
export function cursorAt(state: EditedText, offset: number): EditedText {
  return { ...state, cursor: boundary(state.text, offset) }
}

/** The text put in at the cursor, which then is behind it. */
export function insert({ text, cursor, killed }: EditedText, added: string): EditedText {
  const now = text.slice(0, cursor) + added + text.slice(cursor)
  return { text: now, cursor: boundary(now, cursor + added.length), killed }
}

export function edit(state: EditedText, action: EditAction): EditedText {
  const { text, cursor } = state
  const to = TARGETS[action]?.(text, cursor)
  if (to === undefined) return insert(state, state.killed)
  if (!CUTS.has(action)) return { ...state, cursor: to }
  const [from, until] = to < cursor ? [to, cursor] : [cursor, to]
  if (from === until) return state
  const now = text.slice(0, from) + text.slice(until)
  const killed = KILLS.has(action) ? text.slice(from, until) : state.killed
  return { text: now, cursor: boundary(now, from), killed }
}

const CUTS: ReadonlySet<EditAction> = new Set([
  'erase',
  'delete',
  'killWordLeft',
  'killWordRight',
  'killToStart',
  'killToEnd',
])
/** What is cut by these comes back with `yank`. */
const KILLS: ReadonlySet<EditAction> = new Set(['killWordLeft', 'killWordRight', 'killToStart', 'killToEnd'])

/** Where an action takes the cursor, or what it cuts up to; a line's end cuts on to the next line. */
const TARGETS: Partial<Record<EditAction, (text: string, cursor: number) => number>> = {
  left: before,
  right: after,
  wordLeft: (text, cursor) => past(text, cursor, { step: before, word: WORD }),
  wordRight: (text, cursor) => past(text, cursor, { step: after, word: WORD }),
  lineStart,
  lineEnd,
  erase: before,
  delete: after,
  killWordLeft: (text, cursor) => past(text, cursor, { step: before, word: /\S/ }),
  killWordRight: (text, cursor) => past(text, cursor, { step: after, word: WORD }),
  killToStart: (text, cursor) => (lineStart(text, cursor) === cursor ? before : lineStart)(text, cursor),
  killToEnd: (text, cursor) => (lineEnd(text, cursor) === cursor ? after : lineEnd)(text, cursor),
}

/** UTF-16 units beside the cursor that are examined; a character is never longer. */
const MOST_CHARACTER = 256

/** Where the character before the cursor begins. */
function before(text: string, cursor: number): number {
  if (cursor === 0 || isSimple(text, cursor - 1)) return Math.max(0, cursor - 1)
  const from = Math.max(0, cursor - MOST_CHARACTER)
  const near = text.slice(from, cursor)
  return from + (segmentsOf(near).containing(near.length - 1)?.index ?? 0)
}

/** Where the character at the cursor ends. */
function after(text: string, cursor: number): number {
  if (cursor >= text.length || isSimple(text, cursor + 1)) return Math.min(text.length, cursor + 1)
  const at = segmentsOf(text.slice(cursor, cursor + MOST_CHARACTER)).containing(0)
  return at ? cursor + at.segment.length : text.length
}

/** The first place from `offset` on where a character begins: what is put side by side may become one character. */
function boundary(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length || isSimple(text, offset)) return offset
  const from = Math.max(0, offset - MOST_CHARACTER)
  const at = segmentsOf(text.slice(from, offset + MOST_CHARACTER)).containing(offset - from)
  return at === undefined || from + at.index === offset ? offset : from + at.index + at.segment.length
}

/** Whether a character surely begins at the place, because there and before it are characters that never join. */
function isSimple(text: string, place: number): boolean {
  return isPlain(text.charCodeAt(place - 1)) && (place >= text.length || isPlain(text.charCodeAt(place)))
}

/** Also of what is before the text. */
function isPlain(unit: number): boolean {
  return Number.isNaN(unit) || unit === 0x0a || (unit >= 0x20 && unit < 0x7f)
}

/** A word with more characters than this is gone past in several steps. */
const MOST_STEPS = 10_000

/** Past what is no word, then past the word. */
function past(text: string, cursor: number, { step, word }: { step: typeof before; word: RegExp }): number {
  let at = cursor
  let isInWord = false
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const next = step(text, at)
    if (next === at) return at
    const isWord = word.test(text.slice(Math.min(at, next), Math.max(at, next)))
    if (isInWord && !isWord) return at
    isInWord ||= isWord
    at = next
  }
  return at
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}
