import type { Graphics } from '../../tui/picture/graphics.ts'
import type { Theme } from '../../tui/theme/theme.ts'

/** Maximum rows of a picture, and what draws it; without `graphics`, half blocks. */
export type PictureLook = { rows: number; graphics?: Graphics | undefined }

/**
 * How lines become rows: the available columns, of which the first is for the pointer and the last for the scrollbar.
 */
export type Look = {
  theme: Theme
  width: number
  /** Whether long lines wrap; otherwise they are cut. */
  wraps: boolean
  pictures?: PictureLook
}
