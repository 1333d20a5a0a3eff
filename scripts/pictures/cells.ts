import { nearestIndexed } from '../../src/tui/theme/colour.ts'
import type { ThemeColours } from '../../src/tui/theme/themes.ts'

/** A cell of a screen; undefined colors are those of the page. The second cell of a wide character has width 0. */
export type Cell = {
  text: string
  width: number
  /** `#rrggbb`, like `ground`. */
  ink: string | undefined
  ground: string | undefined
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
}

/** A cell of the emulator. */
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

/** The background of the cells, and the color of unstyled text. */
export type Page = Pick<ThemeColours, 'ground' | 'text'>

/** The sixteen colors of xterm; no theme with true color uses them. */
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

/** Returns how a cell of an emulator looks on a page. */
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

/** Returns all cells of an emulator's screen, row by row. */
export function cellsOf(
  screen: { cols: number; rows: number; cell(x: number, y: number): EmulatedCell | undefined },
  page: Page,
): Cell[][] {
  return Array.from({ length: screen.rows }, (_, y) =>
    Array.from({ length: screen.cols }, (_, x) => cellOf(screen.cell(x, y)!, page)),
  )
}
