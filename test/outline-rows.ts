import { AS_GIVEN, outline, type Folding, type OutlineNode } from '../src/components/viewer/outline-tree.ts'
import { paintLine } from '../src/components/viewer/paint.ts'
import { createTheme } from '../src/tui/theme/theme.ts'

const plain = createTheme({ level: 0, ascii: false })

/** Everything is unfolded. */
export const UNFOLDED: Folding = { all: true, except: new Map() }

/** Returns every row of a document under this folding, without margins and fillers. */
export function rowsOf(
  roots: readonly OutlineNode[],
  { width = 100, folding = AS_GIVEN, theme = plain } = {},
): string[] {
  const shown = outline(roots, folding)
  return Array.from({ length: shown.count }, (_, line) => {
    const { entry, offset } = shown.at(line)
    return paintLine(entry.lines.at(offset), { theme, width, wraps: true })
  })
    .flat()
    .map(row => row.slice(1).trimEnd())
}
