import type { Symbols } from '../../tui/theme/theme.ts'
import type { Span } from '../viewer/source.ts'

/**
 * The frame for laying out a block: the text before its first row and before every further one, the columns, and the
 * symbols.
 */
export type Frame = { lead: readonly Span[]; rest: readonly Span[]; columns: number; symbols: Symbols }
