/**
 * The look of a cell. Styles are interned: two cells look the same exactly if they hold the same object (after the
 * bounded table was cleared, equal styles may be different objects, which only costs a redundant repaint).
 */
export type Style = {
  readonly attributes: number
  /** SGR parameters of the foreground color such as `31` or `38;5;12`, empty for the default. */
  readonly foreground: string
  /** SGR parameters of the background color such as `41` or `48;2;1;2;3`, empty for the default. */
  readonly background: string
  /** OSC 8 `params;uri`, empty without a link. */
  readonly link: string
  /** The style for a blank, if a part of this style is visible only on characters. */
  readonly onBlank: Style | undefined
  readonly transitions: Map<Style, string>
}

/** Attribute bits with the SGR codes that switch them on and off (ECMA-48, xterm's ctlseqs). */
const ATTRIBUTES: readonly { bit: number; on: number; off: number }[] = [
  { bit: 1, on: 1, off: 22 },
  { bit: 2, on: 2, off: 22 },
  { bit: 4, on: 3, off: 23 },
  { bit: 8, on: 4, off: 24 },
  { bit: 16, on: 5, off: 25 },
  { bit: 32, on: 7, off: 27 },
  { bit: 64, on: 8, off: 28 },
  { bit: 128, on: 9, off: 29 },
  { bit: 256, on: 53, off: 55 },
]
const WEIGHT_BITS = 3
/** Underlined, inverse, struck and overlined: visible on a blank, in the color of its text. */
const SEEN_ON_BLANK = 8 | 32 | 128 | 256
const MAX_STYLES = 4096
const MAX_TRANSITIONS = 256

const table = new Map<string, Style>()

/** The terminal's default look without a link. */
export const PLAIN: Style = styleOf(0, '', '', '')

function styleOf(attributes: number, foreground: string, background: string, link: string): Style {
  const key = `${attributes}|${foreground}|${background}|${link}`
  const known = table.get(key)
  if (known !== undefined) return known
  if (table.size >= MAX_STYLES) {
    table.clear()
    table.set('0|||', PLAIN)
  }
  const isSeen = (attributes & SEEN_ON_BLANK) !== 0 || (attributes === 0 && foreground === '')
  const onBlank = isSeen ? undefined : styleOf(0, '', background, link)
  const style: Style = { attributes, foreground, background, link, onBlank, transitions: new Map() }
  table.set(key, style)
  return style
}

/** Returns the part of a style that is visible on a blank. */
export function onBlank(style: Style): Style {
  return style.onBlank ?? style
}

/** Returns the style with another link; `link` is OSC 8's `params;uri`, empty to end the link. */
export function withLink(style: Style, link: string): Style {
  return styleOf(style.attributes, style.foreground, style.background, link)
}

/** Returns the style after an SGR sequence; `parameters` is the text between `ESC [` and `m`. */
export function applySgr(style: Style, parameters: string): Style {
  let { attributes, foreground, background } = style
  const codes = parameters.split(';')
  for (let index = 0; index < codes.length; index++) {
    const [first = '', ...sub] = (codes[index] ?? '').split(':')
    const code = first === '' ? 0 : Number(first)
    if (code === 0) {
      attributes = 0
      foreground = ''
      background = ''
    } else if (code === 38 || code === 48 || code === 58) {
      const { colour, used } = sub.length > 0 ? colonColour(sub) : semicolonColour(codes, index + 1)
      index += used
      if (colour !== undefined && code === 38) foreground = `38;${colour}`
      if (colour !== undefined && code === 48) background = `48;${colour}`
    } else if (isColour(code, 30)) foreground = code === 39 ? '' : String(code)
    else if (isColour(code, 40)) background = code === 49 ? '' : String(code)
    else attributes = applyAttribute(attributes, code, sub[0])
  }
  return styleOf(attributes, foreground, background, style.link)
}

/**
 * Whether a code is one of the eight colors from `base` on, one of their bright forms 60 higher, or the default color
 * at `base + 9`.
 */
function isColour(code: number, base: number): boolean {
  const offset = code >= base + 60 ? code - base - 60 : code - base
  return (offset >= 0 && offset <= 7) || code === base + 9
}

function applyAttribute(attributes: number, code: number, sub: string | undefined): number {
  // Double (21) and shaped (4:n) underlines become plain ones, which every terminal draws.
  if (code === 21) return attributes | 8
  if (code === 4 && sub === '0') return attributes & ~8
  if (code === 6) return attributes | 16
  for (const { bit, on, off } of ATTRIBUTES) {
    if (code === on) attributes |= bit
    if (code === off) attributes &= ~bit
  }
  return attributes
}

type ParsedColour = { colour: string | undefined; used: number }

function semicolonColour(codes: readonly string[], at: number): ParsedColour {
  if (codes[at] === '5') return { colour: joinColour('5', codes.slice(at + 1, at + 2)), used: 2 }
  if (codes[at] === '2') return { colour: joinColour('2', codes.slice(at + 1, at + 4)), used: 4 }
  return { colour: undefined, used: codes.length }
}

function colonColour(sub: readonly string[]): ParsedColour {
  const [kind, ...rest] = sub
  // ITU T.416 puts a color space before the three channels; terminals also accept the form without it.
  const channels = kind === '2' && rest.length >= 4 ? rest.slice(1, 4) : rest
  if (kind === '5') return { colour: joinColour('5', channels.slice(0, 1)), used: 0 }
  if (kind === '2') return { colour: joinColour('2', channels.slice(0, 3)), used: 0 }
  return { colour: undefined, used: 0 }
}

function joinColour(kind: '2' | '5', channels: readonly string[]): string | undefined {
  if (channels.length !== (kind === '5' ? 1 : 3)) return undefined
  const numbers = channels.map(Number)
  return numbers.every(n => Number.isInteger(n) && n >= 0 && n <= 255) ? `${kind};${numbers.join(';')}` : undefined
}

/** Returns the shortest sequence that changes the pen from one style to another. */
export function transition(from: Style, to: Style): string {
  if (from === to) return ''
  const known = from.transitions.get(to)
  if (known !== undefined) return known
  if (from.transitions.size >= MAX_TRANSITIONS) from.transitions.clear()
  const link = from.link === to.link ? '' : `\x1b]8;${to.link === '' ? ';' : to.link}\x1b\\`
  const text = sgrBetween(from, to) + link
  from.transitions.set(to, text)
  return text
}

function sgrBetween(from: Style, to: Style): string {
  const codes: (number | string)[] = []
  const ended = from.attributes & ~to.attributes
  // 22 ends both bold and dim, so the one that stays is switched on again.
  const begun = to.attributes & (~from.attributes | (ended & WEIGHT_BITS ? WEIGHT_BITS : 0))
  for (const { bit, off } of ATTRIBUTES) if (ended & bit && !codes.includes(off)) codes.push(off)
  for (const { bit, on } of ATTRIBUTES) if (begun & bit) codes.push(on)
  if (from.foreground !== to.foreground) codes.push(to.foreground === '' ? 39 : to.foreground)
  if (from.background !== to.background) codes.push(to.background === '' ? 49 : to.background)
  if (codes.length === 0) return ''
  const changed = `\x1b[${codes.join(';')}m`
  const whole = sgrFromScratch(to)
  return whole.length < changed.length ? whole : changed
}

function sgrFromScratch(to: Style): string {
  const codes: (number | string)[] = []
  for (const { bit, on } of ATTRIBUTES) if (to.attributes & bit) codes.push(on)
  if (to.foreground !== '') codes.push(to.foreground)
  if (to.background !== '') codes.push(to.background)
  return codes.length === 0 ? '\x1b[m' : `\x1b[0;${codes.join(';')}m`
}
