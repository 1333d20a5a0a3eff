import { Writable } from 'node:stream'
import xterm, { type IBufferCell, type IUnicodeVersionProvider, type Terminal } from '@xterm/headless'
import stringWidth from 'string-width'

export type EmulatorOptions = {
  columns: number
  rows: number
  /** Wide emoji, still without grapheme clusters; otherwise the widths of Unicode 6. */
  modernWidths?: boolean
  highWaterMark?: number
}

/** For tests: a terminal emulator behind a stream that looks like a terminal's, with all bytes sent to it. */
export class Emulator extends Writable {
  readonly isTTY = true
  readonly terminal: Terminal
  sent = ''
  isCursorVisible = true

  constructor({ columns, rows, modernWidths, highWaterMark = 1 << 20 }: EmulatorOptions) {
    super({ decodeStrings: false, highWaterMark })
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 100 })
    if (modernWidths === true) {
      this.terminal.unicode.register(MODERN_WIDTHS)
      this.terminal.unicode.activeVersion = MODERN_WIDTHS.version
    }
    for (const [final, visible] of [
      ['h', true],
      ['l', false],
    ] as const) {
      this.terminal.parser.registerCsiHandler({ prefix: '?', final }, parameters => {
        if (parameters.includes(25)) this.isCursorVisible = visible
        return false
      })
    }
  }

  get columns(): number {
    return this.terminal.cols
  }

  get rows(): number {
    return this.terminal.rows
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.sent += chunk.toString()
    this.terminal.write(chunk.toString(), done)
  }

  /** Resolves when everything written so far is rendered. */
  drawn(): Promise<void> {
    return new Promise(resolve => this.write('', () => this.terminal.write('', resolve)))
  }

  resizeTo(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    this.emit('resize')
  }

  cell(row: number, column: number): IBufferCell {
    const buffer = this.terminal.buffer.active
    const cell = buffer.getLine(buffer.baseY + row)?.getCell(column)
    if (cell === undefined) throw new Error(`no cell at ${row}, ${column}`)
    return cell
  }

  /** The visible rows as text, without trailing blanks. */
  text(): string[] {
    const buffer = this.terminal.buffer.active
    return Array.from({ length: this.rows }, (_, row) =>
      (buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    )
  }
}

const MODERN_WIDTHS: IUnicodeVersionProvider = {
  version: 'modern',
  wcwidth: cellWidth,
  charProperties(codePoint, preceding) {
    const width = cellWidth(codePoint)
    // Bit 0 means "joins the previous character", bits 1 and 2 hold the width (xterm.js, UnicodeService).
    return width === 0 && preceding !== 0 ? preceding | 1 : width << 1
  },
}

function cellWidth(codePoint: number): 0 | 1 | 2 {
  const width = stringWidth(String.fromCodePoint(codePoint))
  return width <= 0 ? 0 : width === 1 ? 1 : 2
}
