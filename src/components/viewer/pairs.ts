import { blank, cleanSpans, widthOfSpans } from './spans.ts'
import { copyText, type Line, type Lines, type Span } from './source.ts'

/** With fewer columns each field has a row of its own. */
const PAIRS_FROM = 92
/** Columns between two fields. */
const GAP = 3

/** The lines with neighbouring fields beside each other, where both are whole in half of the columns. */
export function pairFields(lines: Lines, columns: number): Lines {
  if (columns < PAIRS_FROM || !isArray(lines)) return lines
  const half = Math.floor(columns / 2)
  const paired: Line[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const [line, next] = [lines[index]!, lines[index + 1]]
    const left = fieldWithin(line, half - GAP)
    const right = left && fieldWithin(next, half)
    if (!left || !right) {
      paired.push(line)
      continue
    }
    const parts = [...left, blank(half - widthOfSpans(left)), ...right]
    paired.push({ parts, copy: `${copyText(line)}\n${copyText(next!)}` })
    index += 1
  }
  return paired
}

function isArray(lines: Lines): lines is readonly Line[] {
  return Array.isArray(lines)
}

/** A label with its value, where the line is that and has so much room. */
function fieldWithin(line: Line | undefined, columns: number): readonly Span[] | undefined {
  if (typeof line !== 'object' || !('spans' in line) || line.below === undefined) return undefined
  const spans = cleanSpans([...(line.lead ?? []), ...line.spans])
  return widthOfSpans(spans) <= columns ? spans : undefined
}
