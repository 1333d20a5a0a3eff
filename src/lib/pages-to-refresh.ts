/** Share of the pages of a round for the first open ones. A list usually continues where it is open. */
const FIRST_SHARE = 3 / 4

/**
 * Returns the pages that a round of polling reads again: at most `most` of the open ones. Three quarters are the first
 * in the list. The others are those read longest ago by `readAt`, a growing number, so that every page gets its turn.
 */
export function pagesToRefresh<Page>(
  pages: readonly Page[],
  options: { isOpen: (page: Page) => boolean; readAt: (page: Page) => number; most: number },
): ReadonlySet<Page> {
  const { isOpen, readAt, most } = options
  const open = pages.filter(isOpen)
  if (open.length <= most) return new Set(open)
  const first = open.slice(0, Math.floor(most * FIRST_SHARE))
  const oldest = open
    .slice(first.length)
    .sort((a, b) => readAt(a) - readAt(b))
    .slice(0, most - first.length)
  return new Set([...first, ...oldest])
}
