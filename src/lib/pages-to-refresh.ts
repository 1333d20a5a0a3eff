/**
 * Of the pages of a round, the share that goes to the first open ones: a list mostly goes on where it has not ended
 * yet.
 */
const FIRST_SHARE = 3 / 4

/**
 * The pages that a round of polling reads again, at most `most` of those that are open: three quarters of them the
 * first in the list, and the others those that were read longest ago by `readAt`, a number that grows, so that every
 * page gets its turn.
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
