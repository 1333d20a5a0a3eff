import { scaled, type Raster } from '../../lib/raster.ts'
import type { ColourLevel } from '../theme/palettes.ts'
import type { Cells } from './fit.ts'

/** Pixels that a cell contains when drawn as half blocks. */
export const HALF_BLOCK = { width: 1, height: 2 }

/** Pixels with less opacity are not drawn, so that the background shows. */
const OPAQUE = 128
/** Step size of a color channel: cells can hardly show finer ones, and each color costs bytes. */
const STEP = 8

/** The sixteen colors of xterm, by number. */
const SIXTEEN = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
] as const
/** Levels of a channel in the cube of the 256 colors. */
const CUBE = [0, 95, 135, 175, 215, 255]
const CUBE_STEPS = CUBE.map((level): Colour => [level, 0, 0])

type Colour = readonly [red: number, green: number, blue: number]

/** Returns a picture as rows of text: two pixels a cell, one above the other, in the available colors. */
export function halfBlocks(raster: Raster, { columns, rows }: Cells, level: Exclude<ColourLevel, 0>): string[] {
  const { pixels } = scaled(raster, columns, rows * 2)
  const penAt = remembered(level)
  const at = (x: number, y: number): Pen | undefined => {
    const from = (y * columns + x) * 4
    if (pixels[from + 3]! < OPAQUE) return undefined
    return penAt(pixels[from]!, pixels[from + 1]!, pixels[from + 2]!)
  }
  return Array.from({ length: rows }, (_, row) => {
    let text = ''
    let pen = ''
    for (let x = 0; x < columns; x += 1) {
      const { sgr, block } = cell(at(x, row * 2), at(x, row * 2 + 1))
      text += (sgr === pen ? '' : `\u001b[0${sgr}m`) + block
      pen = sgr
    }
    return `${text}\u001b[m`
  })
}

/** SGR parameters of a color as foreground and as background. */
type Pen = { front: string; back: string }

function cell(upper: Pen | undefined, lower: Pen | undefined): { sgr: string; block: string } {
  if (upper && lower) return { sgr: `;${upper.front};${lower.back}`, block: '▀' }
  if (upper) return { sgr: `;${upper.front}`, block: '▀' }
  return lower ? { sgr: `;${lower.front}`, block: '▄' } : { sgr: '', block: ' ' }
}

/** Caches the parameters of each color. */
function remembered(level: Exclude<ColourLevel, 0>): (red: number, green: number, blue: number) => Pen {
  const known = new Map<number, Pen>()
  const coarse = (value: number): number => Math.min(255, Math.round(value / STEP) * STEP)
  return (...channels) => {
    const [red, green, blue] = [coarse(channels[0]), coarse(channels[1]), coarse(channels[2])]
    const key = (red << 16) | (green << 8) | blue
    const pen = known.get(key) ?? penOf([red, green, blue], level)
    known.set(key, pen)
    return pen
  }
}

function penOf(colour: Colour, level: Exclude<ColourLevel, 0>): Pen {
  if (level === 1) {
    const number = nearest(colour, SIXTEEN)
    return {
      front: String(number < 8 ? 30 + number : 82 + number),
      back: String(number < 8 ? 40 + number : 92 + number),
    }
  }
  const sgr = level === 3 ? `8;2;${colour.join(';')}` : `8;5;${of256(colour)}`
  return { front: `3${sgr}`, back: `4${sgr}` }
}

/** Returns the nearest color of the cube and of the greys; the first sixteen can be changed by the user. */
function of256(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map(value => nearest([value, 0, 0], CUBE_STEPS))
  const grey = Math.max(0, Math.min(23, Math.round(((colour[0] + colour[1] + colour[2]) / 3 - 8) / 10)))
  const level = 8 + grey * 10
  const ofCube: Colour = [CUBE[red]!, CUBE[green]!, CUBE[blue]!]
  const isGrey = distance(colour, [level, level, level]) < distance(colour, ofCube)
  return isGrey ? 232 + grey : 16 + 36 * red + 6 * green + blue
}

function nearest(colour: Colour, among: readonly Colour[]): number {
  let best = 0
  for (let index = 1; index < among.length; index += 1)
    if (distance(colour, among[index]!) < distance(colour, among[best]!)) best = index
  return best
}

function distance(a: Colour, b: Colour): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
}
