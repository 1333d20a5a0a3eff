import fuzzysort from 'fuzzysort'

/** Suggests the name that was probably meant, as a sentence to append; empty if none is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

/**
 * Minimum fuzzysort score of a similar name. A lower score means letters scattered in a text, a higher one letters that
 * are together, or at the start of words.
 */
export const ALIKE = 0.5

/** Returns the name that was probably meant; undefined if none is similar. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const typos = names
    .map(known => ({ known, edits: editsBetween(wanted, known.toLowerCase()) }))
    .filter(({ edits, known }) => edits <= Math.max(1, Math.floor(Math.min(name.length, known.length) / 3)))
    .sort((a, b) => a.edits - b.edits)
  // An abbreviation is not a typo: `url` means `baseUrl`, but `open` does not mean `completion`.
  return typos[0]?.known ?? fuzzysort.go(name, names, { threshold: ALIKE })[0]?.target
}

/**
 * Returns the minimum number of letters to add, remove, change or swap with a neighbor to turn one text into the other.
 */
function editsBetween(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    before = last
    last = line
  }
  return last[to.length] ?? 0
}
