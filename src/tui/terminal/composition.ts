import { blankRow, rowOf, type Row } from './cells.ts'
import { createRowParser, type RowParser } from './frame-parser.ts'
import { PLACEHOLDER } from './graphemes.ts'
import { createRegion, type Rectangle, type Region, type RegionLayer } from './region.ts'
import { PLAIN, type Style } from './style.ts'

/** A part of the screen that is muted, except what is drawn above it. */
export type Quiet = {
  page: Rectangle
  above: Rectangle
  /** A character in the style that the whole part gets; without colors nothing changes. */
  look: string
  /** Characters in styles that are muted already. */
  kept: readonly string[]
}

type QuietLook = { page: Rectangle; above: Rectangle; style: Style; kept: ReadonlySet<Style> }

/** The intended content of the screen: Ink's frame with the regions above it, and which rows changed. */
export class Composition {
  columns = 0
  rows = 0
  blank: Row = blankRow(0)
  #parser: RowParser = createRowParser(0)
  #lines: string[] = []
  /** The pen at the start of each line, and after the last one. */
  #pens: Style[] = []
  #frame: Row[] = []
  #dirty = new Uint8Array(0)
  readonly #layers = new Map<string, RegionLayer>()
  #quiet: QuietLook | undefined

  /** Number of lines of the last frame, including those below the screen. */
  get lineCount(): number {
    return this.#lines.length
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
    this.blank = blankRow(columns)
    this.#parser = createRowParser(columns)
    this.#frame = []
    this.#dirty = new Uint8Array(rows).fill(1)
    this.setFrame(this.#lines)
  }

  /** Sets a frame; rows with the same text as before are not parsed again, and lines below the screen are not shown. */
  setFrame(lines: string[]): void {
    const pens: Style[] = [PLAIN]
    for (let row = 0; row < this.rows; row++) {
      const line = lines[row] ?? ''
      const pen = pens[row] ?? PLAIN
      if (this.#frame[row] !== undefined && line === this.#lines[row] && pen === this.#pens[row]) {
        pens[row + 1] = this.#pens[row + 1] ?? PLAIN
        continue
      }
      const parsed = this.#parser.parse(line, pen)
      if (parsed.row !== this.#frame[row]) this.touch(row)
      this.#frame[row] = parsed.row
      pens[row + 1] = parsed.end
    }
    this.#lines = lines
    this.#pens = pens
  }

  touch(row: number): void {
    if (row >= 0 && row < this.rows) this.#dirty[row] = 1
  }

  touchAll(): void {
    this.#dirty.fill(1)
  }

  /** Visits every row that changed since the last visit. */
  visitChanged(visit: (row: number, composed: Row) => void): void {
    for (let row = 0; row < this.rows; row++) {
      if (this.#dirty[row] === 0) continue
      this.#dirty[row] = 0
      visit(row, this.compose(row))
    }
  }

  compose(row: number): Row {
    let composed = this.#frame[row] ?? this.blank
    for (const layer of this.#layers.values()) composed = layer.compose(row, composed)
    return this.#quiet ? quietRow(composed, row, this.#quiet) : composed
  }

  quiet(quiet: Quiet | undefined): void {
    const styleOf = (text: string): Style => createRowParser(1).parse(text).row.styles[0] ?? PLAIN
    const style = quiet ? styleOf(quiet.look) : PLAIN
    const before = this.#quiet
    this.#quiet = quiet && style !== PLAIN ? { ...quiet, style, kept: new Set(quiet.kept.map(styleOf)) } : undefined
    for (const { page } of [before, this.#quiet].filter(each => each !== undefined))
      for (let row = page.row; row < page.row + page.height; row++) this.touch(row)
  }

  region(id: string, rectangle: Rectangle, changed: () => void): Region {
    const known = this.#layers.get(id)
    if (known !== undefined) {
      known.region.move(rectangle)
      return known.region
    }
    const layer = createRegion(rectangle, {
      touch: row => this.touch(row),
      changed,
      closed: () => this.#layers.delete(id),
    })
    this.#layers.set(id, layer)
    return layer.region
  }
}

/** Returns the row with the muted page in one style, except what is above it. */
function quietRow(row: Row, at: number, { page, above, style, kept }: QuietLook): Row {
  if (at < page.row || at >= page.row + page.height) return row
  const covers = at >= above.row && at < above.row + above.height
  const styles = row.styles.map((own, column) => {
    const isAbove = covers && column >= above.column && column < above.column + above.width
    const isBeside = column < page.column || column >= page.column + page.width
    // The color of the cell identifies its picture.
    const isPicture = row.graphemes[column]?.startsWith(PLACEHOLDER)
    return isAbove || isBeside || isPicture || kept.has(own) ? own : style
  })
  return rowOf([...row.graphemes], styles)
}
