/** Line and column of a text, both counted from 1. */
export type TextPlace = { line: number; column: number }

/** Finds the position of an offset. Line ends are counted only once, so that thousands of faults take little time. */
export function createPlaces(text: string): (offset: number) => TextPlace {
  let starts: number[] | undefined
  return offset => {
    starts ??= startsOfLines(text)
    const at = Math.min(Math.max(0, offset), text.length)
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - starts[low]! + 1 }
  }
}

/** Returns the offsets of lines. The parser's own counter misses line ends in some broken texts. */
function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
