/**
 * Returns the first visible field, so that the active one and as many before it as fit are visible. `heights` are the
 * current rows of each field.
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

/** Returns how many fields fit, counted from `first`; at least one. */
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

/** Maximum share of a form's columns for its labels, so that the values line up. */
const LABEL_SHARE = 2 / 5
const LONGEST_LABEL = 32

/** Returns the width for labels. Labels that are too long do not count, and only their own values are moved. */
export function labelColumn(labels: readonly number[], width: number): number {
  const most = Math.min(LONGEST_LABEL, Math.floor(width * LABEL_SHARE))
  return Math.max(0, ...labels.filter(label => label <= most))
}

/** Returns the field at this row below the top of the first visible field. */
export function fieldAt(heights: readonly number[], first: number, row: number): number | undefined {
  let bottom = 0
  for (let index = first; index < heights.length; index += 1) {
    bottom += heights[index] ?? 0
    if (row < bottom) return index
  }
  return undefined
}

/** Maximum number of options of a field that are visible at once. */
export const OPTION_ROWS = 6

/** Returns the index of the first visible option, so that the current one is visible. */
export function firstOption(count: number, at: number): number {
  return Math.max(0, Math.min(at - Math.floor(OPTION_ROWS / 2), count - OPTION_ROWS))
}
