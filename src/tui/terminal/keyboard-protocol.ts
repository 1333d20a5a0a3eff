const KEY = /^\x1b\[(\d+)(?::(\d*))?(?::(\d+))?(?:;(\d+))?u$/
/**
 * Matches a function key with modifiers that only terminals with the protocol send: the modifiers include lock keys.
 */
const FUNCTION_KEY = /^\x1b\[(\d+);(\d{2,3})([A-HPQS~])$/

const SHIFT = 1
const ALT = 2
const CTRL = 4
/** Super, hyper and meta, which none of our keys use. */
const FOREIGN = 8 + 16 + 32
/** The modifiers of a key that is sent as `CSI 1 ; modifiers letter`. */
const SENT = SHIFT + ALT + CTRL

const SPECIAL: ReadonlyMap<number, string> = new Map([
  [9, '\t'],
  [13, '\r'],
  [27, '\x1b'],
  [127, '\x7f'],
])
/** First code of the keypad: 0 to 9, then these, then keys that move. */
const KEYPAD = 57_399
const KEYPAD_TEXT = '0123456789./*-+\r=,'
const KEYPAD_MOVES = ['D', 'C', 'A', 'B', '5~', '6~', 'H', 'F', '2~', '3~']

/**
 * Returns the sequence that terminals without the kitty keyboard protocol send for the same key, so that a key has one
 * name everywhere (Shift+Enter is Enter, Ctrl+I is Tab) and other code need not know the protocol. Other sequences are
 * returned unchanged; undefined for a key that other terminals cannot send. Source:
 * sw.kovidgoyal.net/kitty/keyboard-protocol, flags 1 and 4.
 */
export function asEverywhere(sequence: string): string | undefined {
  const key = KEY.exec(sequence)
  if (key !== null) return keySequence(key)
  const moved = FUNCTION_KEY.exec(sequence)
  return moved === null ? sequence : modified(moved[1]! + moved[3]!, Number(moved[2]) - 1)
}

function keySequence([, code, shifted, base, encoded]: RegExpExecArray): string | undefined {
  const modifiers = Number(encoded ?? '1') - 1
  if ((modifiers & FOREIGN) !== 0) return undefined
  const number = Number(code)
  const move = KEYPAD_MOVES[number - KEYPAD - KEYPAD_TEXT.length]
  if (move !== undefined) return modified(move.length === 1 ? `1${move}` : move, modifiers)
  if (number === 9 && (modifiers & SHIFT) !== 0) return '\x1b[Z'
  const text = SPECIAL.get(number) ?? KEYPAD_TEXT[number - KEYPAD] ?? typed(number, modifiers, shifted, base)
  if (text === undefined || (modifiers & ALT) === 0 || text === '\x1b') return text
  return `\x1b${text}`
}

/**
 * Returns what a key types, with Ctrl its control character; a keyboard without Latin letters reports the Latin key at
 * the same place.
 */
function typed(code: number, modifiers: number, shifted?: string, base?: string): string | undefined {
  // Private use: keys such as Caps Lock or the volume.
  if (code > 0x10_ff_ff || (code >= 0xe000 && code <= 0xf8ff)) return undefined
  const latin = code < 0x80 || base === undefined ? code : Number(base)
  if ((modifiers & CTRL) !== 0) return control(latin)
  if ((modifiers & SHIFT) !== 0) return shifted ? character(Number(shifted)) : character(code)?.toUpperCase()
  return character((modifiers & ALT) === 0 ? code : latin)
}

function control(code: number): string | undefined {
  if (code === 0x20) return '\0'
  if (code === 0x2f) return '\x1f'
  return code >= 0x40 && code < 0x7f ? String.fromCharCode(code & 0x1f) : undefined
}

function character(code: number): string | undefined {
  return code < 0x20 || code > 0x10_ff_ff ? undefined : String.fromCodePoint(code)
}

/** `key` is its number and its letter, as in `1A` or `5~`. */
function modified(key: string, modifiers: number): string {
  const [number, letter] = [key.slice(0, -1), key.slice(-1)]
  const sent = modifiers & SENT
  if (sent !== 0) return `\x1b[${number};${sent + 1}${letter}`
  return letter === '~' ? `\x1b[${number}~` : `\x1b[${letter}`
}
