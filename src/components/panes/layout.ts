/** Narrower than this, one pane shows at a time. */
export const TWO_PANES_FROM = 100
/** From here on three stand side by side. */
export const THREE_PANES_FROM = 160

/**
 * Widths of a group of panes side by side; 0 hides a pane. Shows as many neighbours as the width
 * allows, always with the focused one, and shares the columns by weight.
 */
export function paneWidths(options: {
  width: number
  weights: readonly number[]
  focused: number
}): number[] {
  const { width, weights, focused } = options
  const room = width >= THREE_PANES_FROM ? 3 : width >= TWO_PANES_FROM ? 2 : 1
  const shown = Math.min(room, weights.length)
  const first = Math.max(0, Math.min(focused - (shown - 1), weights.length - shown, focused))
  const visible = weights.map((_, index) => index >= first && index < first + shown)
  const total = weights.reduce((sum, weight, index) => sum + (visible[index] ? weight : 0), 0)
  let left = width
  const last = first + shown - 1
  return weights.map((weight, index) => {
    if (!visible[index]) return 0
    if (index === last) return left
    const columns = Math.floor((width * weight) / total)
    left -= columns
    return columns
  })
}
