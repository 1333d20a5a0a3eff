import type { Symbols } from '../../tui/theme/theme.ts'
import type { Span } from '../viewer/source.ts'

/**
 * What a block is laid out in: what is before its first row and before every further one, and the columns with them.
 */
export type Frame = { lead: readonly Span[]; rest: readonly Span[]; columns: number; symbols: Symbols }
