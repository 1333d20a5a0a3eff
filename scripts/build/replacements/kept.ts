/** Entries that a cache of texts keeps; a frame has a few hundred. */
const most = 2000
/** A longer text is computed each time: what is kept stays in memory, and no frame has such a one. */
const longest = 8000

/** The same pure function, remembering its latest answers. Texts that are not asked for any more are forgotten. */
export function kept<T>(compute: (text: string) => T): (text: string) => T {
  // Two generations: what is asked for again moves to the young one, so dropping the old one is cheap and fair.
  let young = new Map<string, T>()
  let old = young
  return text => {
    if (text.length > longest) return compute(text)
    const known = young.get(text)
    if (known !== undefined) return known
    const answer = old.get(text) ?? compute(text)
    if (young.size >= most / 2) {
      old = young
      young = new Map()
    }
    young.set(text, answer)
    return answer
  }
}
