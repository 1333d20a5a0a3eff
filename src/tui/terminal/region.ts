import { overlay, type Row } from './cells.ts'
import { createRowParser, type RowParser } from './frame-parser.ts'

/** A rectangle of cells, zero-based from the top left corner of the screen. */
export type Rectangle = { row: number; column: number; width: number; height: number }

/** A rectangle whose rows are painted without Ink, on top of its frame. */
export type Region = {
  /**
   * Shows these lines (text with SGR and OSC 8); only rows with changed text are parsed, only changed cells written.
   */
  paint(lines: readonly string[]): void
  /** Moves the rectangle with the lines that still fit; additional rows show Ink's frame until painted. */
  move(rectangle: Rectangle): void
  /** Shows Ink's frame until the next `paint`. */
  hide(): void
  /** Removes the region permanently. */
  close(): void
}

/** A region with what the screen needs to compose it. */
export type RegionLayer = {
  region: Region
  /** Returns the row of cells at `screenRow` with the region laid over it. */
  compose(screenRow: number, below: Row): Row
}

/** `touch` marks a screen row as changed, `changed` requests a paint, `closed` removes the layer from the screen. */
export type RegionHost = { touch(screenRow: number): void; changed(): void; closed(): void }

export function createRegion(rectangle: Rectangle, host: RegionHost): RegionLayer {
  let place = rectangle
  let parser: RowParser = createRowParser(rectangle.width)
  let lines: string[] = []
  let rows: Row[] = []

  const touchAll = (): void => {
    for (let index = 0; index < place.height; index++) host.touch(place.row + index)
  }
  const hide = (): void => {
    lines = []
    rows = []
    touchAll()
    host.changed()
  }
  const region: Region = {
    hide,
    paint(next) {
      for (let index = 0; index < place.height; index++) {
        const line = next[index] ?? ''
        if (rows[index] !== undefined && lines[index] === line) continue
        lines[index] = line
        rows[index] = parser.parse(line).row
        host.touch(place.row + index)
      }
      host.changed()
    },
    move(to) {
      if (
        to.row === place.row &&
        to.column === place.column &&
        to.width === place.width &&
        to.height === place.height
      ) {
        return
      }
      touchAll()
      lines = lines.slice(0, to.height)
      rows = rows.slice(0, to.height)
      if (to.width !== place.width) {
        parser = createRowParser(to.width)
        rows = lines.map(line => parser.parse(line).row)
      }
      place = to
      touchAll()
      host.changed()
    },
    close() {
      host.closed()
      hide()
    },
  }
  return {
    region,
    compose(screenRow, below) {
      const index = screenRow - place.row
      const row = index >= 0 && index < place.height ? rows[index] : undefined
      return row === undefined ? below : overlay(below, row, place.column)
    },
  }
}
