import { CELL, DIM, isShape, shapesOf } from './shapes.ts'
import { nearestIndexed } from '../../src/tui/theme/colour.ts'
import type { ThemeColours } from '../../src/tui/theme/themes.ts'

/** A cell of a screen; undefined colours are those of the page. The second cell of a wide character has width 0. */
export type Cell = {
  text: string
  width: number
  /** `#rrggbb`, as `ground` is. */
  ink: string | undefined
  ground: string | undefined
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
}

/** A cell as an emulator has it. */
type EmulatedCell = {
  getChars(): string
  getWidth(): number
  getFgColor(): number
  getBgColor(): number
  isFgRGB(): boolean
  isBgRGB(): boolean
  isFgDefault(): boolean
  isBgDefault(): boolean
  isBold(): number
  isDim(): number
  isItalic(): number
  isUnderline(): number
  isInverse(): number
}

/** What lies behind the cells, and how bare text looks on it. */
export type Page = Pick<ThemeColours, 'ground' | 'text'>

/** The sixteen as xterm has them; no theme with true colour asks for one of these. */
const SIXTEEN = ['#000000', '#cd0000', '#00cd00', '#cdcd00', '#0000ee', '#cd00cd', '#00cdcd', '#e5e5e5'].concat([
  '#7f7f7f',
  '#ff0000',
  '#00ff00',
  '#ffff00',
  '#5c5cff',
  '#ff00ff',
  '#00ffff',
  '#ffffff',
])

function colourOf(number: number, isRgb: boolean): string {
  if (isRgb) return `#${number.toString(16).padStart(6, '0')}`
  return SIXTEEN[number] ?? nearestIndexed('#000000', candidate => candidate.number === number).hex
}

/** What a cell of an emulator shows on a page. */
function cellOf(cell: EmulatedCell, page: Page): Cell {
  const ink = cell.isFgDefault() ? undefined : colourOf(cell.getFgColor(), cell.isFgRGB())
  const ground = cell.isBgDefault() ? undefined : colourOf(cell.getBgColor(), cell.isBgRGB())
  const [above, behind] = cell.isInverse() ? [ground ?? page.ground, ink ?? page.text] : [ink, ground]
  const width = cell.getWidth()
  return {
    text: width === 0 ? '' : cell.getChars() || ' ',
    width,
    ink: above === page.text ? undefined : above,
    ground: behind === page.ground ? undefined : behind,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  }
}

/** All cells of an emulator's screen, row by row. */
export function cellsOf(
  screen: { cols: number; rows: number; cell(x: number, y: number): EmulatedCell | undefined },
  page: Page,
): Cell[][] {
  return Array.from({ length: screen.rows }, (_, y) =>
    Array.from({ length: screen.cols }, (_, x) => cellOf(screen.cell(x, y)!, page)),
  )
}

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
