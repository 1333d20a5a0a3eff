const MAX_STRING_LENGTH = 4096

const CSI_BODY = /[0-?]*[ -/]*/y
const STRING_BODY = /[^\x07\x1b]*/y
const SS3_BODY = /\d?/y

/**
 * Returns where the sequence that starts at `at` ends: a character, an escape sequence, or Esc alone; undefined if it
 * is incomplete.
 */
export function scan(text: string, at: number): number | undefined {
  if (text[at] !== '\x1b') return at + characterLength(text, at)
  const next = text[at + 1]
  const after = text[at + 2]
  if (next === undefined) return undefined
  // On a slow connection Esc arrives together with later keys, and must never swallow Ctrl+C.
  if (next === '\x1b' || next === '\x03') return at + 1
  if (next === '[') return scanCsi(text, at)
  if (next === 'O') return scanSs3(text, at)
  const isString = next === ']' || next === 'P' || next === '_'
  if (isString && after === undefined) return undefined
  // A key with Alt may begin like an answer of the terminal, but an answer continues as no person would type.
  if (isString && (next === ']' ? /\d/ : next === 'P' ? /[\d>!$|]/ : /G/).test(after ?? '')) return scanString(text, at)
  return at + 1 + characterLength(text, at + 1)
}

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.exec(text)
  return pattern.lastIndex
}

function scanCsi(text: string, at: number): number | undefined {
  // The Linux console sends ESC [ [ A for F1.
  const start = text[at + 2] === '[' ? at + 3 : at + 2
  // rxvt ends keys with Shift in $, which elsewhere is an intermediate byte.
  if (/^\d\$/.test(text.slice(start, start + 2))) return start + 2
  const end = endOf(CSI_BODY, text, start)
  const final = text[end]
  if (final === undefined) return end - at > MAX_STRING_LENGTH ? end : undefined
  return final >= '@' && final <= '~' ? end + 1 : end
}

function scanSs3(text: string, at: number): number | undefined {
  const end = endOf(SS3_BODY, text, at + 2)
  const final = text[end]
  if (final === undefined) return undefined
  return /[A-Za-z]/.test(final) ? end + 1 : at + 2
}

/** Returns the end of an OSC, DCS or APC, which end with BEL or with ESC and a backslash. */
function scanString(text: string, at: number): number | undefined {
  const end = endOf(STRING_BODY, text, at + 2)
  if (end - at > MAX_STRING_LENGTH) return at + MAX_STRING_LENGTH
  const final = text[end]
  if (final === '\x07') return end + 1
  if (final === undefined || text[end + 1] === undefined) return undefined
  return text[end + 1] === '\\' ? end + 2 : end
}
