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

/** In a font of 15 pixels most monospaced letters are 9 wide, and lines of frames meet at 17. */
const [WIDE, HIGH, SIZE, BASELINE, MARGIN] = [9, 17, 15, 13, 9]
const FONTS = "ui-monospace,'Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
/** What XML 1.0 cannot hold, not even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(NOT_XML, '\uFFFD').replaceAll(/[&<>"]/g, sign => ESCAPES[sign]!)
}

/** Frames and bars, which fill their cells; fonts that are narrower are stretched for them. */
const FILLS_CELLS = /[\u2500-\u259F]/

/** Cells next to each other that share a property. `cells` counts columns. */
type Run = { x: number; cells: number; text: string; value: string }

/** Text of one look each. A wide character stands alone, so that no font moves what follows it. */
function textRuns(row: readonly Cell[]): Run[] {
  const runs: Run[] = []
  let isOpen = false
  for (const [x, cell] of row.entries()) {
    if (cell.width === 0 || (cell.text.trim() === '' && !cell.underline)) continue
    const value = styleOf(cell)
    const last = runs.at(-1)
    const gap = last === undefined ? 0 : x - last.x - last.cells
    if (last && isOpen && cell.width === 1 && gap <= 1 && last.value === value) {
      last.text += ' '.repeat(gap) + cell.text
      last.cells += gap + 1
    } else runs.push({ x, cells: cell.width, text: cell.text, value })
    isOpen = cell.width === 1
  }
  return runs
}

function groundRuns(row: readonly Cell[]): Run[] {
  const runs: Run[] = []
  for (const [x, { ground }] of row.entries()) {
    const last = runs.at(-1)
    if (last && last.value === ground && last.x + last.cells === x) last.cells += 1
    else if (ground !== undefined) runs.push({ x, cells: 1, text: '', value: ground })
  }
  return runs
}

function styleOf({ ink, bold, dim, italic, underline }: Cell): string {
  return [
    ink && `fill:${ink}`,
    bold && 'font-weight:bold',
    dim && 'fill-opacity:.65',
    italic && 'font-style:italic',
    underline && 'text-decoration:underline',
  ]
    .filter(Boolean)
    .join(';')
}

/**
 * A screen as an SVG whose text can be selected. Every run of letters is as wide as its cells, whatever font is there;
 * nothing in it comes from elsewhere.
 * @param title what it shows, for those who do not see it
 */
export function svgOf(rows: readonly (readonly Cell[])[], page: Page, title: string): string {
  const columns = Math.max(0, ...rows.map(row => row.length))
  const [width, height] = [columns * WIDE + 2 * MARGIN, rows.length * HIGH + 2 * MARGIN]
  const classes = new Map<string, string>()
  const classOf = (style: string): string => {
    if (style === '') return ''
    if (!classes.has(style)) classes.set(style, `c${classes.size}`)
    return ` class="${classes.get(style)!}"`
  }
  const drawn = rows.flatMap((row, y) => {
    const top = MARGIN + y * HIGH
    const at = (x: number): number => MARGIN + x * WIDE
    return [
      ...groundRuns(row).map(
        ({ x, cells, value }) =>
          `<rect x="${at(x)}" y="${top}" width="${cells * WIDE}" height="${HIGH}" fill="${value}"/>`,
      ),
      ...textRuns(row).map(({ x, cells, text, value }) => {
        const fit = `textLength="${cells * WIDE}"${FILLS_CELLS.test(text) ? ' lengthAdjust="spacingAndGlyphs"' : ''}`
        return `<text x="${at(x)}" y="${top + BASELINE}" ${fit}${classOf(value)}>${escaped(text)}</text>`
      }),
    ]
  })
  const styles = [...classes].map(([style, name]) => `.${name}{${style}}`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font-family:${FONTS};font-size:${SIZE}px;fill:${page.text};white-space:pre}${styles.join('')}</style>`,
    `<rect width="100%" height="100%" rx="6" fill="${page.ground}" stroke="#808080" stroke-opacity=".4"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}
