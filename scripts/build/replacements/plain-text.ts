/**
 * Cells of a UTF-16 unit that is one grapheme whatever plain units stand beside it (1 or 2), or 0 when Unicode's
 * rules have to be asked. Of the ranges with wide characters or emoji among them only the safe parts are listed.
 */
export function plainWidth(unit: number): 0 | 1 | 2 {
  if (unit < 0x7f) return unit >= 0x20 ? 1 : 0
  if (unit < 0x2010) return isPlainLetter(unit) ? 1 : 0
  if (unit < 0x2900) return isPlainSymbol(unit) ? 1 : 0
  return isPlainWide(unit) ? 2 : 0
}

/** Latin, Greek and Cyrillic. */
function isPlainLetter(unit: number): boolean {
  return (
    (unit >= 0xa0 && unit < 0x250 && unit !== 0xad) ||
    (unit >= 0x391 && unit <= 0x3ff && unit !== 0x3a2) ||
    (unit >= 0x400 && unit <= 0x481) ||
    (unit >= 0x48a && unit <= 0x52f)
  )
}

/** Punctuation, currency, arrows, operators, control pictures, lines, blocks, shapes, ticks and Braille. */
function isPlainSymbol(unit: number): boolean {
  return (
    unit <= 0x2027 ||
    (unit >= 0x2030 && unit <= 0x205e) ||
    (unit >= 0x20a0 && unit <= 0x20bf) ||
    (unit >= 0x2190 && unit <= 0x22ff) ||
    (unit >= 0x2400 && unit <= 0x2426) ||
    (unit >= 0x2500 && unit <= 0x25fc) ||
    (unit >= 0x2715 && unit <= 0x2718) ||
    unit === 0x2713 ||
    (unit >= 0x2758 && unit <= 0x2775 && unit !== 0x2764) ||
    unit >= 0x2800
  )
}

/** Kana, unified ideographs, Hangul syllables and fullwidth forms. */
function isPlainWide(unit: number): boolean {
  return (
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0xff01 && unit <= 0xff60)
  )
}

/** Whether the text is one plain character of one cell. */
export function isPlainCell(text: string): boolean {
  return text.length === 1 && plainWidth(text.charCodeAt(0)) === 1
}

const escape = 0x1b

/** Cells of a text of plain characters and SGR sequences; -1 when there is anything else in it. */
export function plainColumns(text: string): number {
  let columns = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const width = plainWidth(unit)
    if (width > 0) {
      columns += width
      continue
    }
    if (unit !== escape) return -1
    index = endOfSgr(text, index)
    if (index === -1) return -1
  }
  return columns
}

/** Place of the `m` that ends the SGR sequence at `start`; -1 when it is not an ordinary one. */
function endOfSgr(text: string, start: number): number {
  if (text.charCodeAt(start + 1) !== 0x5b) return -1
  let digits = 0
  for (let index = start + 2; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === 0x6d) return index
    if (unit === 0x3b && digits > 0) digits = 0
    else if (unit >= 0x30 && unit <= 0x39 && digits < 4) digits += 1
    else return -1
  }
  return -1
}

/**
 * Whether every unit is a grapheme of its own: plain characters, and control characters, which never join. The
 * carriage return is left out, because it joins a line feed.
 */
export function isPlainText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (plainWidth(unit) === 0 && (unit >= 0x20 || unit === 0x0d)) return false
  }
  return true
}
