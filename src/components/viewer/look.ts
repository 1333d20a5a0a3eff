import type { Graphics } from '../../tui/picture/graphics.ts'
import type { Theme } from '../../tui/theme/theme.ts'

/** The most rows that a picture takes, and what draws it; without `graphics` half blocks do. */
export type PictureLook = { rows: number; graphics?: Graphics | undefined }

/** How lines become rows: columns there are, of which the first is the pointer's and the last the scrollbar's. */
export type Look = {
  theme: Theme
  width: number
  /** Whether long lines go on in further rows; otherwise they are cut. */
  wraps: boolean
  pictures?: PictureLook
}
