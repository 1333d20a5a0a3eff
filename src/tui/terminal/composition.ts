import { blankRow, type Row } from './cells.ts'
import { createRowParser, type RowParser } from './frame-parser.ts'
import { createRegion, type Rectangle, type Region, type RegionLayer } from './region.ts'
import { PLAIN, type Style } from './style.ts'

/** What should be on the screen: Ink's frame with the regions above it, and which rows changed. */
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

  /** Lines of the last frame, also those below the screen. */
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

  /**
   * Takes over a frame; rows with the text of the last frame are not parsed again, lines below the screen not shown.
   */
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
    return composed
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
