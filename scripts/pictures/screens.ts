import { join } from 'node:path'
import { root } from '../paths.ts'

/** Sizes in which every screen is recorded, in cells. */
export const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 120, rows: 40 },
  { cols: 200, rows: 50 },
] as const

export type PictureSize = (typeof SIZES)[number]

/** Terminal backgrounds on which every screen is recorded. */
export const LOOKS = ['dark', 'light'] as const

export type Look = (typeof LOOKS)[number]

/** The folder for these pictures only. */
export const folder = join(root, 'docs/pictures/screens')

/** Returns the file of the picture of a screen. */
export function fileOf(screen: string, { cols, rows }: PictureSize, look: Look): string {
  return join(folder, `${screen}-${cols}x${rows}-${look}.svg`)
}
