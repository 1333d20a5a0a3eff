/** Maximum number of different parts remembered. Beyond it all are forgotten. */
const MOST_PARTS = 5_000

/**
 * Replaces parts of records by equal parts of earlier records, so that thousands of similar records need little memory.
 * The results must not be changed.
 */
export function createPartSharing(): <Item extends object>(item: Item) => Item {
  const known = new Map<string, unknown>()
  const shared = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part
    const text = JSON.stringify(part)
    if (known.has(text)) return known.get(text)
    if (known.size >= MOST_PARTS) known.clear()
    const whole = withShared(part)
    known.set(text, whole)
    return whole
  }
  const withShared = <T extends object>(whole: T): T =>
    (Array.isArray(whole)
      ? whole.map(shared)
      : Object.fromEntries(Object.entries(whole).map(([name, part]) => [name, shared(part)]))) as T
  return withShared
}
