/** Line and column of a text, both counted from 1. */
export type TextPlace = { line: number; column: number }

/** The place of an offset. The parser's own counter misses line ends in some broken texts. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
