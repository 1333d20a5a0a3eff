import { segmentsOf } from '../../tui/theme/text.ts'

/**
 * A text being edited. `cursor` is the offset in UTF-16 units of the character under the cursor, always at the start of
 * a grapheme, or the text's length; `killed` is the last cut text.
 */
export type EditedText = { readonly text: string; readonly cursor: number; readonly killed: string }

/** Actions of readline's keys; in a text of several lines each line has its own start and end. */
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

/** Returns the text with the cursor at its end. */
export function editedText(text: string): EditedText {
  return { text, cursor: text.length, killed: '' }
}

/** Returns the same cursor in a text that was set from outside. */
export function withText(state: EditedText, text: string): EditedText {
  return { ...state, text, cursor: boundary(text, Math.min(state.cursor, text.length)) }
}

/** Moves the cursor to an offset, or after the character that contains it. */
export function cursorAt(state: EditedText, offset: number): EditedText {
  return { ...state, cursor: boundary(state.text, offset) }
}

/** Inserts text at the cursor and moves the cursor after it. */
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
/** Text that these actions cut can be restored with `yank`. */
const KILLS: ReadonlySet<EditAction> = new Set(['killWordLeft', 'killWordRight', 'killToStart', 'killToEnd'])

/** Where an action moves the cursor, or up to where it cuts; at a line's end it cuts the line break. */
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

/** UTF-16 units beside the cursor that are checked; no character is longer. */
const MOST_CHARACTER = 256

/** Returns where the character before the cursor begins. */
function before(text: string, cursor: number): number {
  if (cursor === 0 || isSimple(text, cursor - 1)) return Math.max(0, cursor - 1)
  const from = Math.max(0, cursor - MOST_CHARACTER)
  const near = text.slice(from, cursor)
  return from + (segmentsOf(near).containing(near.length - 1)?.index ?? 0)
}

/** Returns where the character at the cursor ends. */
function after(text: string, cursor: number): number {
  if (cursor >= text.length || isSimple(text, cursor + 1)) return Math.min(text.length, cursor + 1)
  const at = segmentsOf(text.slice(cursor, cursor + MOST_CHARACTER)).containing(0)
  return at ? cursor + at.segment.length : text.length
}

/**
 * Returns the first position from `offset` on where a character begins: adjacent code points may form one character.
 */
function boundary(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length || isSimple(text, offset)) return offset
  const from = Math.max(0, offset - MOST_CHARACTER)
  const at = segmentsOf(text.slice(from, offset + MOST_CHARACTER)).containing(offset - from)
  return at === undefined || from + at.index === offset ? offset : from + at.index + at.segment.length
}

/** Whether a character certainly begins at the position, because the characters before and at it never combine. */
function isSimple(text: string, place: number): boolean {
  return isPlain(text.charCodeAt(place - 1)) && (place >= text.length || isPlain(text.charCodeAt(place)))
}

/** Whether a UTF-16 unit never combines with others, since it is ASCII; also true beyond the ends of the text. */
function isPlain(unit: number): boolean {
  return Number.isNaN(unit) || unit === 0x0a || (unit >= 0x20 && unit < 0x7f)
}

/** Maximum characters that one word movement passes; longer words take several. */
const MOST_STEPS = 10_000

/** Moves past characters that are not part of a word, then past the word. */
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
