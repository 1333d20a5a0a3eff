/**
 * First visible field, so that the active one and as many before it as fit are visible. `heights` are the current rows
 * of each field.
 */
export function firstShown(heights: readonly number[], active: number, rows: number): number {
  let first = Math.min(active, heights.length - 1)
  let used = heights[first] ?? 0
  while (first > 0 && used + (heights[first - 1] ?? 0) <= rows) {
    first -= 1
    used += heights[first] ?? 0
  }
  return Math.max(0, first)
}

/** How many fields from `first` on fit; at least one. */
export function shownCount(heights: readonly number[], first: number, rows: number): number {
  let used = 0
  let count = 0
  for (const height of heights.slice(first)) {
    used += height
    if (used > rows && count > 0) break
    count += 1
  }
  return count
}

/** Part of a form, and columns, that its labels take at most for the values to be below each other. */
const LABEL_SHARE = 2 / 5
const LONGEST_LABEL = 32

/** Width of these labels without those that are too long, which move only their own values. */
export function labelColumn(labels: readonly number[], width: number): number {
  const most = Math.min(LONGEST_LABEL, Math.floor(width * LABEL_SHARE))
  return Math.max(0, ...labels.filter(label => label <= most))
}

/** The field at this row below the top of the first visible one. */
export function fieldAt(heights: readonly number[], first: number, row: number): number | undefined {
  let bottom = 0
  for (let index = first; index < heights.length; index += 1) {
    bottom += heights[index] ?? 0
    if (row < bottom) return index
  }
  return undefined
}

/** Maximum number of visible options of a field. */
export const OPTION_ROWS = 6

/** First visible option, so that the current one is visible. */
export function firstOption(count: number, at: number): number {
  return Math.max(0, Math.min(at - Math.floor(OPTION_ROWS / 2), count - OPTION_ROWS))
}
