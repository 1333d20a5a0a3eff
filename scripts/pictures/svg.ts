import type { Cell, Page } from './cells.ts'
import { CELL, DIM, isShape, shapesOf } from './shapes.ts'

const MARGIN = 9
const [SIZE, BASELINE] = [15, 13]
const FONTS = "ui-monospace,'Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
/** What XML 1.0 cannot hold, not even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(NOT_XML, '\uFFFD').replaceAll(/[&<>"]/g, sign => ESCAPES[sign]!)
}

/** A character in its column. */
type Glyph = { x: number; width: number; text: string; style: string }

/** What every monospaced font has; anything else may come from another font, with a width of its own. */
const LETTER = /^[\u0020-\u024F\u2010-\u2027]$/
const isLetter = ({ text, width }: Glyph): boolean => width === 1 && LETTER.test(text)
/** Blanks are shorter than another element up to here. */
const LONGEST_GAP = 24

function styleOf({ ink, bold, dim, italic, underline }: Cell): string {
  return [
    ink && `fill:${ink}`,
    bold && 'font-weight:bold',
    dim && `fill-opacity:${DIM}`,
    italic && 'font-style:italic',
    underline && 'text-decoration:underline',
  ]
    .filter(Boolean)
    .join(';')
}

/** Glyphs that one element holds, all of one look: letters with the blanks between them, or other signs in a row. */
function groupsOf(row: readonly Cell[]): Glyph[][] {
  const groups: Glyph[][] = []
  for (const [x, cell] of row.entries()) {
    if (cell.width === 0 || isShape(cell) || (cell.text.trim() === '' && !cell.underline)) continue
    const glyph = { x, width: cell.width, text: cell.text, style: styleOf(cell) }
    const last = groups.at(-1)?.at(-1)
    const belongs =
      last?.style === glyph.style &&
      (isLetter(last)
        ? isLetter(glyph) && x - last.x - 1 <= LONGEST_GAP
        : !isLetter(glyph) && last.text.length === 1 && glyph.text.length === 1)
    if (belongs) groups.at(-1)!.push(glyph)
    else groups.push([glyph])
  }
  return groups
}

/** A group as an element: letters are as wide as their cells together, and each other sign has its own place. */
function textOf(glyphs: readonly Glyph[], y: number, classOf: (style: string) => string): string {
  const [first, last] = [glyphs[0]!, glyphs.at(-1)!]
  const element = (places: string, text: string): string =>
    `<text x="${places}" y="${y * CELL.height + BASELINE}"${classOf(first.style)}>${escaped(text)}</text>`
  if (!isLetter(first))
    return element(glyphs.map(({ x }) => x * CELL.width).join(' '), glyphs.map(({ text }) => text).join(''))
  const text = glyphs.reduce((so, { x, text }) => so.padEnd(x - first.x) + text, '')
  const width = (last.x + 1 - first.x) * CELL.width
  return element(`${first.x * CELL.width}${text.length > 1 ? `" textLength="${width}` : ''}`, text)
}

/**
 * A screen as an SVG whose text can be selected. Every line of letters is as wide as its cells, whatever font is there;
 * nothing in it comes from elsewhere.
 * @param title what it shows, for those who do not see it
 */
export function svgOf(rows: readonly (readonly Cell[])[], page: Page, title: string): string {
  const columns = Math.max(0, ...rows.map(row => row.length))
  const [width, height] = [columns * CELL.width + 2 * MARGIN, rows.length * CELL.height + 2 * MARGIN]
  const classes = new Map<string, string>()
  const classOf = (style: string): string => {
    if (style === '') return ''
    if (!classes.has(style)) classes.set(style, `c${classes.size}`)
    return ` class="${classes.get(style)!}"`
  }
  const texts = rows.flatMap((row, y) => groupsOf(row).map(glyphs => textOf(glyphs, y, classOf)))
  const styles = [...classes].map(([style, name]) => `.${name}{${style}}`)
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font-family:${FONTS};font-size:${SIZE}px;fill:${page.text};white-space:pre}${styles.join('')}</style>`,
    `<rect width="100%" height="100%" rx="6" fill="${page.ground}" stroke="#808080" stroke-opacity=".4"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...shapesOf(rows, page.text),
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}
