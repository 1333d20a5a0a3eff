/** Narrower than this, no panes stand side by side. */
export const TWO_PANES_FROM = 100
/** From here on three stand side by side. */
export const THREE_PANES_FROM = 160
/** Panes stand above each other only where each gets this many rows. */
const LEAST_STACKED_ROWS = 14

/** Where a pane stands in the area of its group. */
export type PaneBox = { top: number; left: number; width: number; height: number }

export type Arrangement = 'one' | 'stacked' | 'beside'

type Size = {
  width: number
  height: number
  /** Read aloud, panes come one after the other, however long their lines are. */
  neverBeside?: boolean
}

/**
 * How panes stand in an area of this size, and how many of them: beside each other where it is wide, above each other
 * where it is only tall.
 */
export function arrangementOf(size: Size, zoomed = false): { arrangement: Arrangement; room: number } {
  const stacked = Math.min(3, Math.floor(size.height / LEAST_STACKED_ROWS))
  if (zoomed) return { arrangement: 'one', room: 1 }
  if (size.width >= TWO_PANES_FROM && !size.neverBeside)
    return { arrangement: 'beside', room: size.width >= THREE_PANES_FROM ? 3 : 2 }
  return stacked > 1 ? { arrangement: 'stacked', room: stacked } : { arrangement: 'one', room: 1 }
}

/** Which panes show: as many neighbours as there is room for, always with the focused one. */
function shownFrom(options: { room: number; count: number; focused: number; first: number | undefined }): number {
  const { room, count, focused } = options
  const wanted = Math.min(options.first ?? 0, focused)
  return Math.max(0, Math.min(Math.max(wanted, focused - (room - 1)), count - room))
}

/** Shares of a length by weight, which add up to it. */
function shares(length: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let left = length
  return weights.map((weight, index) => {
    const share = index === weights.length - 1 ? left : Math.floor((length * weight) / total)
    left -= share
    return share
  })
}

/**
 * The box of each pane of a group, undefined for one that does not show. The boxes tile the area. `first` stays the
 * first of them as long as the focused one shows with it; `zoomed` gives everything to the focused one.
 */
export function paneBoxes(
  options: Size & { weights: readonly number[]; focused: number; first?: number | undefined; zoomed?: boolean },
): (PaneBox | undefined)[] {
  const { width, height, weights, focused } = options
  const { arrangement, room } = arrangementOf(options, options.zoomed)
  const shown = Math.min(room, weights.length)
  const first = shownFrom({ room: shown, count: weights.length, focused, first: options.first })
  const lengths = shares(arrangement === 'stacked' ? height : width, weights.slice(first, first + shown))
  let used = 0
  return weights.map((_, index) => {
    const length = lengths[index - first]
    if (length === undefined) return undefined
    const at = used
    used += length
    return arrangement === 'stacked'
      ? { top: at, left: 0, width, height: length }
      : { top: 0, left: at, width: length, height }
  })
}
