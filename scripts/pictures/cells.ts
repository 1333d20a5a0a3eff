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
