import type { Cell } from './cells.ts'

/** Most monospaced letters of 15 pixels are 9 wide; a line height of 17 leaves them room. */
export const CELL = { width: 9, height: 17 } as const

/** Opacity of a dim color. */
export const DIM = 0.65

type Side = 'l' | 'r' | 'u' | 'd'

/** The sides of its cell to which a line leads from the middle. */
const LINES: Readonly<Record<string, string>> = {
  '─': 'lr',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'ld',
  '└': 'ru',
  '┘': 'lu',
  '┬': 'lrd',
  '┴': 'lru',
  '├': 'rud',
  '┤': 'lud',
  '┼': 'lrud',
  '━': 'lr',
  '╸': 'l',
  '╺': 'r',
  '┃': 'ud',
}
const HEAVY = /[━┃╸╺]/
/** Round corners: the edge at which each starts, and the one at which it ends. */
const ROUND: Readonly<Record<string, readonly [from: Side, to: Side]>> = {
  '╭': ['d', 'r'],
  '╮': ['d', 'l'],
  '╰': ['u', 'r'],
  '╯': ['u', 'l'],
}

/** The part of its cell that a block fills, in eighths, and its density. */
type Block = { x: number; y: number; width: number; height: number; density: number }

function blockOf(text: string): Block | undefined {
  const whole = { x: 0, y: 0, width: 8, height: 8, density: 1 }
  const code = text.codePointAt(0) ?? 0
  if (text === '▀') return { ...whole, height: 4 }
  if (text >= '▁' && text <= '█') return { ...whole, y: 8 - (code - 0x2580), height: code - 0x2580 }
  if (text >= '▉' && text <= '▏') return { ...whole, width: 0x2590 - code }
  if (text === '▐') return { ...whole, x: 4, width: 4 }
  return text >= '░' && text <= '▓' ? { ...whole, density: (code - 0x2590) / 4 } : undefined
}

/** Whether a cell is a line or a block, which is drawn instead of written: no font makes neighbors meet. */
export function isShape({ text }: Pick<Cell, 'text'>): boolean {
  return text.length === 1 && (text in LINES || text in ROUND || blockOf(text) !== undefined)
}

/** Collects paths by paint; a path that continues where the last one ended is joined to it. */
class Paths {
  readonly #byPaint = new Map<string, { key: string; from: number; to: number; path: Path }[]>()

  /** `key` identifies the pieces that may be joined: those of a row or a column, of one thickness. */
  add(paint: string, key: string, from: number, to: number, path: Path): void {
    const pieces = this.#byPaint.get(paint) ?? []
    this.#byPaint.set(paint, pieces)
    const before = pieces.findLast(piece => piece.key === key)
    if (before?.to === from) before.to = to
    else pieces.push({ key, from, to, path })
  }

  toElements(): string[] {
    return [...this.#byPaint].map(
      ([paint, pieces]) => `<path ${paint} d="${pieces.map(({ from, to, path }) => path(from, to)).join('')}"/>`,
    )
  }
}

/** Draws from one position to another. */
type Path = (from: number, to: number) => string

/** Draws the backgrounds of cells, and their frames and bars, as few paths. `ink` is the color of unstyled text. */
export function shapesOf(rows: readonly (readonly Cell[])[], ink: string): string[] {
  const [grounds, shapes] = [new Paths(), new Paths()]
  for (const [y, row] of rows.entries())
    for (const [x, cell] of row.entries()) {
      if (cell.ground !== undefined) fill(grounds, `fill="${cell.ground}"`, x, y, { x: 0, y: 0, width: 8, height: 8 })
      const { text } = cell
      if (!isShape(cell)) continue
      const colour = cell.ink ?? ink
      const block = blockOf(text)
      const opacity = (block?.density ?? 1) * (cell.dim ? DIM : 1)
      const faint = (name: string): string => (opacity === 1 ? '' : ` ${name}-opacity="${opacity}"`)
      if (block) fill(shapes, `fill="${colour}"${faint('fill')}`, x, y, block)
      else {
        const thick = HEAVY.test(text) ? ' stroke-width="3"' : ''
        draw(shapes, `fill="none" stroke="${colour}"${thick}${faint('stroke')}`, x, y, text)
      }
    }
  return [...grounds.toElements(), ...shapes.toElements()]
}

function fill(paths: Paths, paint: string, x: number, y: number, part: Omit<Block, 'density'>): void {
  const eighth = { x: CELL.width / 8, y: CELL.height / 8 }
  const [top, high] = [y * CELL.height + part.y * eighth.y, part.height * eighth.y]
  const left = x * CELL.width + part.x * eighth.x
  paths.add(paint, `${y} ${part.y} ${part.height}`, left, left + part.width * eighth.x, (from, to) =>
    [`M${from} ${top}`, `H${to}`, `v${high}`, `H${from}`, 'z'].join(''),
  )
}

function draw(paths: Paths, paint: string, x: number, y: number, text: string): void {
  const [left, top] = [x * CELL.width, y * CELL.height]
  const middle = { x: left + CELL.width / 2, y: top + CELL.height / 2 }
  const round = ROUND[text]
  if (round) {
    const [begin, end] = [round[0] === 'd' ? top + CELL.height : top, round[1] === 'r' ? left + CELL.width : left]
    const curve = `M${middle.x} ${begin}Q${middle.x} ${middle.y} ${end} ${middle.y}`
    return paths.add(paint, `${x} ${y}`, 0, 0, () => curve)
  }
  const across: Path = (from, to) => `M${from} ${middle.y}H${to}`
  const down: Path = (from, to) => `M${middle.x} ${from}V${to}`
  for (const side of LINES[text]!) {
    if (side === 'l') paths.add(paint, `row ${y}`, left, middle.x, across)
    if (side === 'r') paths.add(paint, `row ${y}`, middle.x, left + CELL.width, across)
    if (side === 'u') paths.add(paint, `column ${x}`, top, middle.y, down)
    if (side === 'd') paths.add(paint, `column ${x}`, middle.y, top + CELL.height, down)
  }
}
